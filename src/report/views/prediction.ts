import { NS_PER_SECOND } from '../../model/units.ts';
import type { Constraint } from '../../prediction/cost/ceiling.ts';
import type { StageLanes } from '../../prediction/cost/lanes.ts';
import type { CacheCeiling, Ceiling } from '../../prediction/cost/outlook.ts';
import type { ShadowPrice } from '../../prediction/cost/prices.ts';
import type { Assumption } from '../../prediction/cost/resources.ts';
import { heading, list, paragraph } from '../blocks.ts';
import { figures, names, table } from '../columns.ts';
import { endsWords } from '../ends-words.ts';
import { byteRate, byteSize, coreCount, count, decimal, interval, leftWords, plural, rate, time } from '../format.ts';
import { rateBand, rateRange } from '../intervals.ts';
import { type Label, labelsOf } from '../labels.ts';
import type { Prediction } from '../results/prediction.ts';
import type { Block, Report, TableBlock, VerdictBlock } from '../tree.ts';
import { doubtWords } from './doubt-words.ts';
import { problemBlocks } from './problems.ts';
import { whatIfWords } from './what-if.ts';

/** Line one: the ceiling and the bottleneck; line two: what to change. Then the forecast. */
export function predictionReport(prediction: Prediction): Report {
  const { ceiling, measured, whatIf, asRecorded, ends, graph } = prediction;
  const label = labelsOf(graph.operators);
  const { binding } = ceiling;
  const factor = measured.estimate > 0 ? ceiling.rate.estimate / measured.estimate : Number.NaN;
  const blocks: Block[] = [
    Number.isNaN(ceiling.rate.estimate)
      ? untold(prediction)
      : {
          type: 'verdict',
          text:
            `${opening(prediction)} this pipeline delivers at most ` +
            `${rate(ceiling.rate.estimate)}${endsWords(ends, graph)}${rateBand(ceiling.rate)}, ${timesWords(factor)} times the recorded ${rate(measured.estimate)}` +
            (binding === undefined ? '' : `; ${bindingWords(binding, label)}`),
          fix: fixOf(prediction, label),
        },
    paragraph(forecastWords(prediction, label), 'muted'),
  ];
  if (Object.values(whatIf).some(value => value !== undefined) && !Number.isNaN(asRecorded.rate.estimate)) {
    blocks.push(
      paragraph(
        `As recorded it could deliver ${rate(asRecorded.rate.estimate)}${rateBand(asRecorded.rate)}${asRecorded.binding === undefined ? '' : `: ${bindingWords(asRecorded.binding, label)}`}.`,
        'muted',
      ),
    );
  }
  blocks.push(heading('Limits', 'the lowest is the bottleneck'), {
    type: 'facts',
    items: ceiling.constraints.map(constraint => ({
      label: constraintName(constraint, label),
      value: rate(constraint.rate.estimate),
      note: constraintNote(constraint),
    })),
  });
  const priced = ceiling.prices.filter(({ worth }) => worth > 0);
  if (priced.length > 0) blocks.push(heading('Gain per unit of the limiting resource'), list(priced.map(priceWords)));
  if (ceiling.lanes.length > 0) blocks.push(heading('Lanes', 'needed for the ceiling'), lanesTable(ceiling, label));
  if (ceiling.caches.length > 0)
    blocks.push(
      heading('Caches', 'from the second pass on'),
      list(ceiling.caches.slice(0, 3).map(cache => cacheWords(cache, label))),
    );
  const assumptions = list(prediction.assumptions.map(each => ASSUMPTIONS[each]));
  return [...blocks, heading('Assumptions'), assumptions, ...problemBlocks(prediction.problems)];
}

/** `25.8`, `0.53`, `0.018`. */
function timesWords(factor: number): string {
  if (factor < 0.01) return 'less than 0.01';
  return factor < 1 ? String(Number(factor.toPrecision(2))) : decimal(Math.round(factor * 10) / 10);
}

/** What to expect, or why that cannot be told and what would settle it. */
function forecastWords({ ceiling, forecast: { rate: expected, doubts }, arranged }: Prediction, label: Label): string {
  const [doubt] = doubts;
  if (doubt !== undefined) {
    const below = Number.isNaN(ceiling.rate.estimate) ? '' : ' below this ceiling';
    return `No forecast${below}: ${doubtWords(doubt, label)}.`;
  }
  const told = `${rate(expected.estimate)}${rateBand(expected)}`;
  switch (arranged) {
    case 'asked':
      return `Forecast of the plan: ${told}.`;
    case 'lanes':
      return `Forecast with these lanes: ${told}.`;
    case 'as-recorded':
      return `Forecast with the lanes it has: ${told}${lanesMissing(ceiling).length > 0 ? '; those below are not expected to make it faster' : ''}.`;
  }
}

const lanesMissing = ({ lanes }: Ceiling): readonly StageLanes[] => lanes.filter(({ now, wanted }) => wanted > now);

/** The verdict where the interval is too wide for a ceiling: it says how to record a narrower one. */
function untold(prediction: Prediction): VerdictBlock {
  const { low, high } = prediction.ceiling.rate;
  const ends = Number.isFinite(high)
    ? `from ${rateRange({ low, high })}`
    : `${rate(low)} or more, without an upper limit`;
  return {
    type: 'verdict',
    text: `${opening(prediction)} this pipeline has no ceiling: the recording allows ${ends}, too wide an interval; ${rate(prediction.measured.estimate)} was recorded`,
    tone: 'warn',
    fix: 'Record longer, on a quiet machine: --epochs 10, or --for 30s on a pipeline that repeats',
  };
}

const lanesTable = (ceiling: Ceiling, label: Label): TableBlock =>
  table(ceiling.lanes, [
    names('stage', ({ operators }) => operators.map(label).join('+')),
    figures('recorded', ({ now }) => count(now)),
    figures('needed', ({ now, wanted }) => (wanted === now ? count(wanted) : { text: count(wanted), tone: 'accent' })),
  ]);

const ASSUMPTIONS: Readonly<Record<Assumption, string>> = {
  'storage-keeps-up': 'storage keeps up; give its bandwidth with --disk, or measure it: venturi doctor --disk FOLDER',
  'page-cache': 'files stay in the page cache, as when recorded; --disk gives the bandwidth without it',
  'lanes-scale': 'more lanes run as fast as those recorded; their contention was not measured: venturi doctor --costs',
  'tiny-elements':
    'functions take as long as recorded, although handing elements on took longer: sharing a stage they may be several times as fast, and exceed the ceiling; venturi tune tries it',
  'outside-scales': 'CPU outside the lanes (garbage collector, threads of functions) is proportional to the elements',
  'same-elements': 'cached elements are the same in every pass',
  'service-answers':
    'services answer async calls at the recorded latency; their saturation was not observed: venturi tune tries more concurrent calls',
  'own-network': 'all that the machine received from the network was for this pipeline',
  'same-consumer': 'the consumer takes as long as recorded; --step gives another time',
};

/** Conditions of the forecast; on a machine that other programs use, the cores they leave. */
function opening(prediction: Prediction): string {
  const asked = whatIfWords(prediction.whatIf);
  const left = prediction.whatIf.cores === undefined ? leftWords(prediction.cpu) : undefined;
  if (left === undefined) return asked === '' ? 'With as many lanes as it needs' : `With ${asked}`;
  return `On ${left}${asked === '' ? '' : `, with ${asked}`}`;
}

function bindingWords({ kind, operator, supply }: Constraint, label: Label): string {
  switch (kind) {
    case 'cores':
      return `limited by ${coreCount(supply)}`;
    case 'sequential':
      return `limited by ${label(operator ?? '')}, which is sequential`;
    case 'storage':
      return `limited by the storage bandwidth of ${byteRate(supply)}`;
    case 'network':
      return `limited by the network bandwidth of ${byteRate(supply)}`;
    case 'calls':
      return `limited by ${count(supply)} concurrent calls of ${label(operator ?? '')}, at the recorded latency`;
    case 'consumer':
      return `limited by the consumer, at ${time(supply * NS_PER_SECOND)} an element`;
  }
}

/** Lanes that are forecast to bring nothing are not advised, whatever the ceiling needs. */
function fixOf({ ceiling, measured, arranged }: Prediction, label: Label): string | undefined {
  const { caches, rate: most, binding } = ceiling;
  if (binding?.kind === 'calls')
    return `The effect of more concurrent calls of ${label(binding.operator ?? '')} was not observed: venturi tune tries them`;
  const cache = caches.find(({ certain }) => certain);
  const settings = lanesMissing(ceiling).map(({ main, wanted }) => `${label(main)} ${count(wanted)}`);
  if (arranged !== 'as-recorded' && settings.length > 0 && most.estimate > 1.05 * measured.estimate)
    return `Lanes needed: ${settings.join(', ')}`;
  return cache && cacheWords(cache, label);
}

function constraintName({ kind, operator, supply }: Constraint, label: Label): string {
  switch (kind) {
    case 'cores':
      return `${coreCount(supply)}`;
    case 'sequential':
      return `${label(operator ?? '')}, in order`;
    case 'storage':
      return `storage of ${byteRate(supply)}`;
    case 'network':
      return `network of ${byteRate(supply)}`;
    case 'calls':
      return `${plural(supply, 'concurrent call')} of ${label(operator ?? '')}`;
    case 'consumer':
      return `consumer at ${time(supply * NS_PER_SECOND)}`;
  }
}

const constraintNote = ({ rate: { estimate, low, high } }: Constraint): string =>
  Number.isFinite(high) && high - low > 0.001 * estimate ? interval(estimate, low, high) : '';

function priceWords({ kind, worth, until }: ShadowPrice): string {
  const upTo = (unit: string): string => (Number.isFinite(until) ? `, up to ${decimal(until)} more ${unit}` : '');
  switch (kind) {
    case 'cores':
      return `one more core: ${rate(worth)} more${upTo('cores')}`;
    case 'storage':
      return `one more MB/s of storage: ${rate(worth)} more${upTo('MB/s')}`;
    case 'network':
      return `one more MB/s of network: ${rate(worth)} more${upTo('MB/s')}`;
    case 'consumer':
      return `a millisecond less per element at the consumer: ${rate(worth)} more`;
    case 'sequential':
    case 'calls':
      return '';
  }
}

const cacheWords = (cache: CacheCeiling, label: Label): string => {
  const { operator, bytes, certain, rate: most } = cache;
  const kept = `Cache the output of ${label(operator)} (${byteSize(bytes.estimate)})`;
  return `${kept}: at most ${rate(most.estimate)} from the second pass on${certain ? '' : ', if nothing up to there is random'}`;
};
