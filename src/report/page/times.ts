import type { BatchFacts } from '../../analysis/batches/fold.ts';
import { type SpanTimes, spanTimes } from '../../analysis/rates/spans.ts';
import type { HistogramRange, LogHistogram } from '../../math/histogram.ts';
import type { Graph } from '../../model/graph.ts';
import { heading } from '../blocks.ts';
import { figures, names, table } from '../columns.ts';
import { count, preciseTime } from '../format.ts';
import type { Report } from '../tree.ts';

/** How long operators took each time, by loader or by what was timed. */
export interface TimesData {
  readonly groups: readonly TimedGroup[];
}

/** Of the section that holds them. */
export const TIMES = { id: 'times', title: 'Times of operators' } as const;

export interface TimedGroup {
  readonly name: string;
  readonly rows: readonly TimedRow[];
}

export interface TimedRow extends SpanTimes {
  readonly label: string;
  /** Operators it is about. */
  readonly operators: readonly string[];
  readonly timed: number;
  /** Times in ns: ranges from the shortest to the longest, without those that are empty. */
  readonly ranges: readonly HistogramRange[];
}

/** Ranges of a histogram: each reaches to 1.19 times its beginning. */
const PER_OCTAVE = 4;

const rowOf = (label: string, operators: readonly string[], spans: LogHistogram): TimedRow => ({
  label,
  operators,
  timed: spans.count,
  ...spanTimes(spans),
  ranges: spans.ranges(PER_OCTAVE).filter(range => range.count > 0),
});

/** Of a program with DataLoaders: its operators on single elements (T3). */
export function loaderTimes({ operators, loaders }: BatchFacts): TimesData {
  const groups = [...new Set([...loaders.keys(), ...operators.keys()])].map(name => ({
    name,
    rows: [...(operators.get(name) ?? [])].map(([operator, { spans }]) => rowOf(operator, [operator], spans)),
  }));
  return { groups: groups.filter(({ rows }) => rows.length > 0) };
}

/** Of a pipeline: spans of its operators and stages, each of one chunk. */
export function pipelineTimes(spans: ReadonlyMap<string, LogHistogram>, graph: Graph): TimesData {
  const labelOf = new Map(graph.operators.map(({ id, label }) => [id, label]));
  const stageOf = new Map(graph.stages.map(stage => [stage.id, stage.operators]));
  const rowsOf = (space: string, operatorsOf: (name: string) => readonly string[]): TimedRow[] =>
    [...spans].flatMap(([key, histogram]) => {
      if (!key.startsWith(`${space}:`)) return [];
      const operators = operatorsOf(key.slice(space.length + 1));
      const label = operators.map(id => labelOf.get(id) ?? id).join(' + ');
      return operators.length === 0 ? [] : [rowOf(label, operators, histogram)];
    });
  const groups = [
    { name: 'Stages', rows: rowsOf('stage', name => stageOf.get(name) ?? []) },
    { name: 'Operators', rows: rowsOf('operator', name => (labelOf.has(name) ? [name] : [])) },
  ];
  return { groups: groups.filter(({ rows }) => rows.length > 0) };
}

export const timesReport = ({ groups }: TimesData): Report =>
  groups.flatMap(({ name, rows }) => [
    heading(name, 'how long each took'),
    table(rows, [
      names('operator', ({ label }) => label),
      figures('timed', ({ timed }) => count(timed)),
      figures('mean', ({ mean }) => preciseTime(mean)),
      figures('p50', ({ p50 }) => preciseTime(p50)),
      figures('p90', ({ p90 }) => preciseTime(p90)),
      figures('p99', ({ p99 }) => preciseTime(p99)),
    ]),
  ]);
