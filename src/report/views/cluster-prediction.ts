import { NS_PER_SECOND } from '../../model/units.ts';
import type { ClusterAssumption } from '../../prediction/scaleout/assumptions.ts';
import type { Fit } from '../../prediction/scaleout/fit.ts';
import type { Saturation, ScaleoutPoint } from '../../prediction/scaleout/forecast.ts';
import { WORTHWHILE } from '../../prediction/thresholds.ts';
import { heading, list, paragraph } from '../blocks.ts';
import { figures, names, optional, table } from '../columns.ts';
import {
  byteRate,
  byteSize,
  count,
  decimal,
  orBlank,
  percent,
  plural,
  precisePercent,
  quantity,
  time,
} from '../format.ts';
import type { ClusterPrediction, ClusterTimeline } from '../results/cluster-prediction.ts';
import type { Block, Report } from '../tree.ts';
import { cautionBlocks } from './problems.ts';

/** Line one: where throughput stops growing and on what; then a forecast for each cluster. */
export function clusterPredictionReport(prediction: ClusterPrediction): Report {
  const { unit, points, whatIf, profiled, assumptions, clusterAssumptions } = prediction;
  const perSecond = `${unit}/s`;
  const several = whatIf.servers.length > 1;
  return [
    { type: 'verdict', text: sentence(prediction) },
    ...cautionBlocks(prediction.problems),
    paragraph(
      `${plural(profiled.steps, 'profiled step')} of ${seconds(profiled.seconds)} · ${MODES[whatIf.mode]} · ` +
        `${byteRate(whatIf.bandwidth)} each way`,
      'muted',
    ),
    heading('Clusters', 'by simulation; * joint and staggered starts differ'),
    table(points, [
      several && figures('servers', ({ servers }: ScaleoutPoint) => count(servers)),
      figures('workers', ({ workers, isBistable }) => `${count(workers)}${isBistable ? ' *' : ''}`),
      figures(perSecond, ({ throughput }) => quantity(throughput.estimate)),
      figures('band', ({ throughput: { low, high } }) => `${quantity(low)} to ${quantity(high)}`),
      figures('efficiency', ({ efficiency }) => percent(efficiency)),
      names('most used', ({ uses: [most] }) => (most === undefined ? '' : `${most.resource} ${percent(most.used)}`)),
      optional(figures('step', ({ stepSeconds }) => seconds(stepSeconds))),
      points.some(({ epochSeconds }) => epochSeconds !== undefined) &&
        figures('epoch', ({ epochSeconds }) => (epochSeconds === undefined ? '' : seconds(epochSeconds))),
      points.some(({ epochCost }) => epochCost !== undefined) &&
        figures('cost', ({ epochCost }) => orBlank(decimal, epochCost)),
      optional(figures('linear', ({ baselines }) => quantity(baselines.linear))),
      whatIf.mode !== 'allreduce' && optional(figures('bound', ({ baselines }) => quantity(baselines.bound))),
      whatIf.mode !== 'allreduce' &&
        optional(figures('queueing', ({ baselines }) => orBlank(quantity, baselines.queueing))),
      whatIf.mode !== 'allreduce' &&
        optional(figures('Cynthia', ({ baselines }) => orBlank(quantity, baselines.cynthia))),
    ]),
    ...whatIf.servers.flatMap(servers => bistableBlocks(points, servers, several)),
    ...cheapestBlocks(prediction),
    ...fitBlocks(prediction.fit),
    ...timelineBlocks(prediction.timeline),
    heading('Assumptions'),
    list([
      whatIf.speeds.length === 0 && whatIf.straggling === undefined
        ? 'workers compute as fast as the profiled one, and nothing else uses the links'
        : 'nothing else uses the links',
      ...(whatIf.input === undefined
        ? []
        : [
            `each worker is given ${quantity(whatIf.input.rate)} batches/s at most, ${count(whatIf.input.buffer)} ahead`,
          ]),
      ...(whatIf.pause > 0 ? [`${seconds(whatIf.pause)} pass between two steps of a worker`] : []),
      ...aloneWords(prediction),
      ...clusterAssumptions.map(each => ASSUMPTIONS[each]),
      ...assumptions.map(({ what, count: number, of }) => `${count(number)} of ${count(of)} ${what}`),
    ]),
  ];
}

/** Steps that were recorded with another bandwidth, or in which something waited that the trace does not name. */
function aloneWords({ aloneSeconds, profiled, whatIf }: ClusterPrediction): string[] {
  if (whatIf.input !== undefined || Math.abs(aloneSeconds / profiled.seconds - 1) <= WORTHWHILE) return [];
  return [
    `one worker alone takes ${seconds(aloneSeconds)} a step by simulation, where ${seconds(profiled.seconds)} were recorded: what else a step waited for is not in the trace, or does not happen there`,
  ];
}

const seconds = (value: number): string => time(value * NS_PER_SECOND);

const MODES = {
  async: 'asynchronous parameter servers',
  sync: 'synchronous parameter servers',
  allreduce: 'all-reduce',
} as const;

function sentence({ saturation, points, unit }: ClusterPrediction): string {
  return saturation.map(each => saturationWords(each, points, saturation.length > 1, unit)).join(' ');
}

function saturationWords(
  { servers, workers, resource }: Saturation,
  points: readonly ScaleoutPoint[],
  isNamed: boolean,
  unit: string,
): string {
  const own = points.filter(point => point.servers === servers);
  const last = own.reduce((a, b) => (b.workers > a.workers ? b : a));
  const with_ = isNamed ? `With ${plural(servers, 'server')}, throughput` : 'Throughput';
  const reached = (point: ScaleoutPoint): string => `${quantity(point.throughput.estimate)} ${unit}/s`;
  if (workers === undefined) {
    return `${with_} grows up to ${plural(last.workers, 'worker')}: ${reached(last)}, ${percent(last.efficiency)} of linear.`;
  }
  const at = own.find(point => point.workers === workers) ?? last;
  const next = own.filter(point => point.workers > workers).reduce((a, b) => (b.workers < a.workers ? b : a), last);
  return (
    `${with_} saturates at ${plural(workers, 'worker')} (${reached(at)}): ` +
    `with ${count(next.workers)} the ${resource} is ${percent(next.uses[0]?.used ?? 0)} used, and each further one adds less than half of what one does alone.`
  );
}

function bistableBlocks(points: readonly ScaleoutPoint[], servers: number, isNamed: boolean): Block[] {
  const unsure = points.filter(point => point.isBistable && point.servers === servers);
  if (unsure.length === 0) return [];
  const among = isNamed ? `${plural(servers, 'server')} and ` : '';
  return [
    paragraph(
      `With ${among}${unsure.map(({ workers }) => count(workers)).join(', ')} workers it matters when they begin: together ` +
        `${unsure.map(({ joint }) => quantity(joint)).join(', ')}, staggered ${unsure.map(({ staggered }) => orBlank(quantity, staggered)).join(', ')}. ` +
        'Bands hold both.',
    ),
  ];
}

function cheapestBlocks({ cheapest, whatIf, unit }: ClusterPrediction): Block[] {
  const { wanted, money } = whatIf;
  if (wanted === undefined && money === undefined) return [];
  if (cheapest === undefined) {
    return [paragraph(`No cluster asked for surely reaches ${quantity(wanted ?? 0)} ${unit}/s.`, 'warn')];
  }
  const { workers, servers, exampleCost } = cheapest;
  const purpose =
    wanted === undefined ? `per ${unit === 'examples' ? 'example' : 'step'}` : `for ${quantity(wanted)} ${unit}/s`;
  const servedBy = whatIf.mode === 'allreduce' ? '' : ` and ${plural(servers, 'server')}`;
  const costs = exampleCost === undefined ? '' : `, ${(exampleCost * THOUSAND).toPrecision(2)} per thousand ${unit}`;
  return [paragraph(`Cheapest ${purpose}: ${plural(workers, 'worker')}${servedBy}${costs}.`, 'strong')];
}

function timelineBlocks(timeline: ClusterTimeline | undefined): Block[] {
  if (timeline === undefined) return [];
  const { file, workers, synchrony } = timeline;
  const [first] = synchrony;
  const last = synchrony.at(-1);
  const words =
    first === undefined || last === undefined || workers === 1
      ? ''
      : ` Workers are ${percent(first.order)} in step after the first step of the first, ${percent(last.order)} at the end.`;
  return [paragraph(`${file}: the first steps of ${plural(workers, 'worker')}, for ui.perfetto.dev.${words}`)];
}

const THOUSAND = 1e3;
const BYTES_PER_MB = 1e6;

function fitBlocks(fit: Fit | undefined): Block[] {
  if (fit === undefined) return [];
  const { window, uplinkWindow, overhead, reproduction } = fit;
  const size = (bytes: number): string => (Number.isFinite(bytes) ? byteSize(bytes) : 'off');
  const { streams } = reproduction;
  return [
    heading('Fitted to one worker', `on half of its steps; errors on ${plural(reproduction.steps, 'other step')}`),
    {
      type: 'facts',
      items: [
        {
          label: 'WIN',
          value: window === uplinkWindow ? size(window) : `${size(window)} from servers, ${size(uplinkWindow)} to them`,
          note: 'sent of a stream before others have their turn',
        },
        {
          label: 'parsing',
          value: `${seconds(overhead.perByte * BYTES_PER_MB)} per MB + ${seconds(overhead.perMessage)}`,
          note: 'α, β',
        },
        {
          label: 'ends of streams',
          value: `off by ${precisePercent(streams.mean)}`,
          note: `median ${precisePercent(streams.median)}, p95 ${precisePercent(streams.p95)}, most ${precisePercent(streams.max)}; ${precisePercent(streams.ofStep)} of a step`,
        },
        { label: 'step time', value: `off by ${precisePercent(reproduction.stepTime)}` },
      ],
    },
  ];
}

const ASSUMPTIONS: Readonly<Record<ClusterAssumption, string>> = {
  'no-overhead':
    'receiving costs nothing beside the transmission: --fit finds what it costs, --alpha and --beta give it',
  'whole-streams': 'each tensor is sent whole: --fit finds the window of HTTP/2, --window gives it',
  'alone-slower':
    'one worker is slower by simulation than --alone says: no pause between its steps makes up for that, and its rate here is that of the simulation',
  'no-pause':
    'a step begins as soon as the one before has ended: --alone gives the rate of one worker, without a profiler',
  'inside-free': 'links inside a host take no time: --inside-bandwidth gives theirs',
  'no-latency': 'messages have no latency: --latency gives it',
  'few-steps': 'the few steps profiled are typical',
};
