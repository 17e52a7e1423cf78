import type { LateShare } from '../../analysis/batches/late-shares.ts';
import { heading } from '../blocks.ts';
import { figures, names, table } from '../columns.ts';
import { count, orBlank, percent, plural, precisePercent, preciseTime, rate, time } from '../format.ts';
import type { LoaderSeries, SeriesCost, SeriesOperator, SeriesRun } from '../results/loader-series.ts';
import type { Block, Report, TableBlock } from '../tree.ts';
import { cautionBlocks } from './problems.ts';

/** Line one: gain of the last run over the first, and its cost in CPU. */
export function loaderSeriesReport(series: LoaderSeries): Report {
  const { runs, operators, cautions } = series;
  const [first, last] = [runs[0], runs.at(-1)];
  const blocks: Block[] = [];
  if (first !== undefined && last !== undefined) blocks.push({ type: 'verdict', text: headline(first, last) });
  blocks.push(...cautionBlocks(cautions));
  blocks.push(heading('Runs', 'CPU: of all processes that consume or prepare'), runTable(runs));
  blocks.push(
    heading('Preparation of a batch', 'T1, in the worker; IQR: p75 - p25'),
    preparationTable(runs),
    heading('Late batches', 'share of batches with a wait / delay longer than'),
    lateTable(runs),
  );
  const costs = operators.flatMap(operator => operator.costs);
  if (costs.some(cost => cost?.cpu !== undefined)) {
    blocks.push(
      heading('CPU of operators', 'by samples, all elements together'),
      operatorTable(series, cost => cost.cpu, preciseTime, samplingError),
    );
  }
  blocks.push(
    heading('Time of operators', 'wall time, queueing for a core included'),
    operatorTable(series, cost => cost.elapsed, preciseTime),
  );
  const events = new Set(costs.flatMap(cost => cost?.events.map(({ event }) => event) ?? []));
  for (const event of [...events].filter(name => !/^(?:cpu|task)-clock\b/.test(name))) {
    const totalOf = (cost: SeriesCost): number | undefined => cost.events.find(one => one.event === event)?.total;
    blocks.push(heading(event, 'by samples'), operatorTable(series, totalOf, count, samplingError));
  }
  return blocks;
}

function headline(first: SeriesRun, last: SeriesRun): string {
  const faster = last.elementsPerSecond / first.elementsPerSecond;
  const elapsed = `${last.name} with ${plural(last.workers, 'worker')} takes ${time(last.elapsed)} where ${first.name} with ${first.workers} took ${time(first.elapsed)}`;
  const cpu =
    first.cpu === undefined || last.cpu === undefined || first.elements === 0 || last.elements === 0
      ? ''
      : `, and ${change(first.cpu / first.elements, last.cpu / last.elements)} CPU per element`;
  return `${elapsed} (${faster.toFixed(2)} times the throughput)${cpu}`;
}

const change = (before: number, after: number): string =>
  after < before ? `${percent(1 - after / before)} less` : `${percent(after / before - 1)} more`;

const runTable = (runs: readonly SeriesRun[]): TableBlock =>
  table(runs, [
    names('run', ({ name }) => name),
    figures('workers', ({ workers }) => count(workers)),
    figures('elapsed', ({ elapsed }) => preciseTime(elapsed)),
    figures('throughput', ({ elementsPerSecond }) => rate(elementsPerSecond)),
    figures('CPU', ({ cpu }) => preciseTime(cpu)),
    figures('CPU of preparation', ({ preparationCpu }) => preciseTime(preparationCpu)),
    figures('waiting', ({ waitShare }) => precisePercent(waitShare)),
    names('limited by', ({ bound }) => bound),
  ]);

const preparationTable = (runs: readonly SeriesRun[]): TableBlock =>
  table(runs, [
    names('run', ({ name }) => name),
    figures('batch size', ({ batchSize }) => orBlank(count, batchSize)),
    figures('batches', ({ preparation }) => count(preparation.count)),
    figures('mean', ({ preparation }) => preciseTime(preparation.mean)),
    figures('deviation/mean', ({ preparation: { mean, deviation } }) =>
      precisePercent(mean > 0 ? deviation / mean : 0),
    ),
    figures('p25', ({ preparation }) => preciseTime(preparation.p25)),
    figures('p75', ({ preparation }) => preciseTime(preparation.p75)),
    figures('IQR', ({ preparation: { p25, p75 } }) => preciseTime(p75 - p25)),
  ]);

const lateTable = (runs: readonly SeriesRun[]): TableBlock =>
  table(runs, [
    names('run', ({ name }) => name),
    ...(runs[0]?.late ?? []).map(({ longerThan }, at) =>
      figures(`> ${time(longerThan)}`, ({ late }: SeriesRun) => lateText(late[at])),
    ),
  ]);

const lateText = (late: LateShare | undefined): string =>
  late === undefined ? '' : `${percent(late.waits)} / ${percent(late.delays)}`;

function operatorTable(
  { runs, operators }: LoaderSeries,
  of: (cost: SeriesCost) => number | undefined,
  shown: (value: number | undefined) => string,
  errorOf: (cost: SeriesCost) => number = () => 0,
): TableBlock {
  return table(operators, [
    names('operator', ({ operator }) => operator),
    ...runs.map(({ name }, at) =>
      figures(name, ({ costs }: SeriesOperator) => {
        const cost = costs[at];
        return cost === undefined ? '' : shown(of(cost));
      }),
    ),
    figures('change', ({ costs }) => {
      const known = costs.flatMap(cost => {
        const value = cost && of(cost);
        return cost === undefined || value === undefined ? [] : [{ value, error: errorOf(cost) }];
      });
      const [before, after] = [known[0], known.at(-1)];
      return before === undefined || after === undefined || known.length < 2 ? '' : changeOrNoise(before, after);
    }),
  ]);
}

interface Measured {
  readonly value: number;
  /** Half width of the 90 % interval / value. */
  readonly error: number;
}

function changeOrNoise(before: Measured, after: Measured): string {
  if (!(before.value > 0)) return '';
  const isNoise = Math.abs(after.value / before.value - 1) <= Math.hypot(before.error, after.error);
  return isNoise ? 'noise' : change(before.value, after.value);
}

/** Relative error of a count of samples, 90 % confidence: a Poisson count n has the standard deviation √n. */
function samplingError({ events: [first] }: SeriesCost): number {
  return first === undefined || first.hits === 0 ? 1 : 1.645 / Math.sqrt(first.hits);
}
