import { PARTS } from '../../src/analysis/steps/breakdown.ts';
import { NS_PER_SECOND } from '../../src/model/units.ts';
import { percent, precisePercent, preciseTime, rate } from '../../src/report/format.ts';
import type { PipelineComparison } from '../../src/report/results/comparison.ts';
import type { LoaderSeries } from '../../src/report/results/loader-series.ts';
import type { TuneProgramResult } from '../../src/report/results/program-tuning.ts';
import type { StepsComparison } from '../../src/report/results/steps.ts';

/** A figure of one run, with the ends of its interval where it has one. */
export interface ComparedValue {
  readonly estimate: number;
  readonly low: number;
  readonly high: number;
}

/** One quantity in all the runs; undefined where a run has it not. */
export interface ComparedRow {
  readonly label: string;
  readonly operators: readonly string[];
  readonly values: readonly (ComparedValue | undefined)[];
  /** The last run that has it / the first: undefined where that is noise, or cannot be told. */
  readonly ratio: number | undefined;
}

/** Quantities of one kind. */
export interface ComparedRows {
  readonly title: string;
  /** Which of two values is better. */
  readonly better: 'high' | 'low';
  readonly words: (value: number) => string;
  readonly rows: readonly ComparedRow[];
}

const exactly = (value: number | undefined): ComparedValue | undefined =>
  value === undefined || !Number.isFinite(value) ? undefined : { estimate: value, low: value, high: value };

/** Of values without intervals, which say nothing of noise. */
function plainRow(
  label: string,
  values: readonly (number | undefined)[],
  operators: readonly string[] = [],
): ComparedRow {
  const known = values.filter(value => value !== undefined && value > 0) as number[];
  const [first = Number.NaN] = known;
  return {
    label,
    operators,
    values: values.map(exactly),
    ratio: known.length < 2 ? undefined : (known.at(-1) ?? Number.NaN) / first,
  };
}

/** Rates of pipelines, and the CPU of their operators. */
export function comparedPipelines({ runs, operators }: PipelineComparison): ComparedRows[] {
  const last = runs.at(-1);
  return [
    {
      title: 'Throughput',
      better: 'high',
      words: rate,
      rows: [
        {
          label: 'throughput',
          operators: [],
          values: runs.map(run => run.rate),
          ratio: last === undefined || last.withinNoise ? undefined : last.ratio.estimate,
        },
      ],
    },
    {
      title: 'CPU for each element',
      better: 'low',
      words: seconds => preciseTime(seconds * NS_PER_SECOND),
      rows: operators
        .filter(({ cpuPerElement }) => cpuPerElement.some(cpu => (cpu?.estimate ?? 0) > 0))
        .map(({ id, label, cpuPerElement, ratio, withinNoise }) => ({
          label,
          operators: [id],
          values: cpuPerElement,
          ratio: withinNoise ? undefined : ratio?.estimate,
        })),
    },
  ];
}

/** Programs with DataLoaders. */
export function comparedPrograms({ runs, operators }: LoaderSeries): ComparedRows[] {
  return [
    {
      title: 'Throughput',
      better: 'high',
      words: rate,
      rows: [
        plainRow(
          'throughput',
          runs.map(run => run.elementsPerSecond),
        ),
      ],
    },
    {
      title: 'Waiting',
      better: 'low',
      words: precisePercent,
      rows: [
        plainRow(
          'waiting for batches',
          runs.map(run => run.waitShare),
        ),
      ],
    },
    {
      title: 'Time',
      better: 'low',
      words: preciseTime,
      rows: [
        plainRow(
          'elapsed',
          runs.map(run => run.elapsed),
        ),
        plainRow(
          'preparation of a batch',
          runs.map(run => run.preparation.mean),
        ),
        ...operators.map(({ operator, costs }) =>
          plainRow(
            operator,
            costs.map(cost => cost?.elapsed),
          ),
        ),
      ],
    },
  ];
}

/** Traces of training steps. */
export const comparedSteps = ({ runs }: StepsComparison): ComparedRows[] => [
  {
    title: 'Time of a step',
    better: 'low',
    words: preciseTime,
    rows: [
      plainRow(
        'step',
        runs.map(({ summary }) => summary.time.mean),
      ),
      ...PARTS.filter(part => runs.some(({ summary }) => summary.mean[part] > 0)).map(part =>
        plainRow(
          part,
          runs.map(({ summary }) => summary.mean[part]),
        ),
      ),
    ],
  },
];

/** A loader as it is, beside the settings that were tried. */
export function comparedTrials({ before, now, trials }: TuneProgramResult): ComparedRows {
  const last = trials.at(-1);
  const isNoise = last === undefined || (last.gain.low <= 1 && last.gain.high >= 1);
  return {
    title: 'Before and after',
    better: 'high',
    words: rate,
    rows: [
      {
        label: 'measured',
        operators: [],
        values: [before, ...trials.map(({ measured }) => measured)],
        ratio: isNoise ? undefined : last.gain.estimate,
      },
      {
        label: 'forecast',
        operators: [],
        values: [now.rate, ...trials.map(({ predicted }) => predicted.rate)],
        ratio: last === undefined ? undefined : last.predicted.rate.estimate / now.rate.estimate,
      },
    ],
  };
}

/** `12 % less`, and whether that is for the better; nothing where there are not two to compare. */
export function changeOf(
  { ratio, values }: ComparedRow,
  better: ComparedRows['better'],
): { readonly text: string; readonly tone: 'good' | 'bad' | 'muted' } {
  if (values.filter(value => (value?.estimate ?? 0) > 0).length < 2) return { text: '', tone: 'muted' };
  if (ratio === undefined || !Number.isFinite(ratio)) return { text: 'noise', tone: 'muted' };
  const text = ratio < 1 ? `${percent(1 - ratio)} less` : `${percent(ratio - 1)} more`;
  return { text, tone: ratio === 1 ? 'muted' : ratio > 1 === (better === 'high') ? 'good' : 'bad' };
}
