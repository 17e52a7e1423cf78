import type { Interval } from '../../math/statistics.ts';
import { NS_PER_SECOND } from '../../model/units.ts';
import type { Constraint } from '../../prediction/cost/ceiling.ts';
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
            `${rate(ceiling.rate.estimate)}${endsWords(ends, graph)}${rateBand(ceiling.rate)}, ${decimal(Math.round(factor * 10) / 10)} times the recorded ${rate(measured.estimate)}` +
            (binding === undefined ? '' : `; ${bindingWords(binding, label)}`),
          fix: fixOf(ceiling, measured, label),
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

/** What to expect, or why that cannot be told and what would settle it. */
function forecastWords({ forecast, planned }: Prediction, label: Label): string {
  const { rate: expected, doubts } = forecast;
  const [doubt] = doubts;
  return doubt === undefined
    ? `Forecast ${planned ? 'of the plan' : 'with these lanes'}: ${rate(expected.estimate)}${rateBand(expected)}.`
    : `No forecast below this ceiling: ${doubtWords(doubt, label)}.`;
}

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
  'outside-scales': 'CPU outside the lanes (garbage collector, threads of functions) is proportional to the elements',
  'same-elements': 'cached elements are the same in every pass',
  'service-answers':
    'services answer async calls at the recorded latency; their saturation was not observed: venturi tune tries more concurrent calls',
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

function fixOf({ lanes, caches, rate: most, binding }: Ceiling, now: Interval, label: Label): string | undefined {
  if (binding?.kind === 'calls')
    return `The effect of more concurrent calls of ${label(binding.operator ?? '')} was not observed: venturi tune tries them`;
  const cache = caches.find(({ certain }) => certain);
  const changes = lanes.filter(({ now: has, wanted }) => wanted > has);
  const settings = changes.map(({ main, wanted }) => `${label(main)} ${count(wanted)}`);
  if (settings.length > 0 && most.estimate > 1.05 * now.estimate) return `Lanes needed: ${settings.join(', ')}`;
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
  const limit = Number.isFinite(until) ? `, up to ${decimal(until)} more` : '';
  switch (kind) {
    case 'cores':
      return `one more core: ${rate(worth)} more${limit}`;
    case 'storage':
      return `one more MB/s of storage: ${rate(worth)} more${limit}`;
    case 'network':
      return `one more MB/s of network: ${rate(worth)} more${limit}`;
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
