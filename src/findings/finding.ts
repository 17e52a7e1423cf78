import type { LoaderChanges } from '../model/loader-changes.ts';
import type { ElementsPerSecond, Share } from '../model/units.ts';

/** A resource is saturated, or none is and the program itself leaves them unused. */
export type Cause =
  | {
      readonly type: 'hardware';
      readonly resource: 'cpu' | 'storage' | 'network' | 'memory' | 'accelerator';
      readonly full: Share;
    }
  | { readonly type: 'software' }
  /** The pipeline does not hold anybody up. */
  | { readonly type: 'none' };

/** What to do about it. `set` can be pasted into a command line, `arguments` into a program; `advice` is in the finding's words. */
export type Fix =
  | {
      readonly type: 'set';
      readonly operator: string;
      readonly setting: 'parallelism' | 'concurrency';
      readonly value: number;
    }
  /** `--memory` of the run. */
  | { readonly type: 'memory'; readonly bytes: number }
  | { readonly type: 'arguments'; readonly loader: string; readonly changes: LoaderChanges }
  | { readonly type: 'record'; readonly seconds: number }
  | { readonly type: 'record'; readonly batches: number }
  | { readonly type: 'advice' };

export interface Gain {
  /** The rate it would lead to at best. */
  readonly rate: ElementsPerSecond;
  /** In parts of the present rate. */
  readonly factor: number;
  /** The ends of that rate's interval. Where the upper one is more than three times the lower, no gain is told. */
  readonly low: ElementsPerSecond;
  readonly high: ElementsPerSecond;
  /** Interval of the factor, where the rate is a forecast and no bound: another run of the program differs as well. */
  readonly factorBand?: { readonly low: number; readonly high: number };
}

/** Reasons to take a finding with a grain of salt. */
export const DOUBTS = {
  'gain-untold':
    'What that gains cannot be told from this recording: a longer one, or a quiet machine, tells more, and venturi tune measures it.',
  'service-unseen':
    'The service was never observed with more concurrent calls: venturi tune tries more, step by step, while that helps.',
  'one-reader': 'One reader got this much: more might get more. venturi doctor --disk FOLDER measures it.',
  'same-sizes':
    'Files are too much alike to tell latency from bandwidth. venturi doctor --disk FOLDER measures what storage can do.',
  'two-narrow-places': 'A second bottleneck is about as narrow: both have to be relieved.',
  changes: 'The bottleneck changed during the run.',
  'busy-machine':
    'Other programs used the machine meanwhile: on an idle one the figures, and the best setting, differ.',
  guessed: 'Nothing was handed over between processes in this recording: what that costs is a usual value.',
  'few-batches': 'Few batches were recorded: --batches 200 would tell more.',
} as const;

export type Doubt = keyof typeof DOUBTS;

/** What is wrong with a run, or fine with it, as data. Every kind has figures of its own, which are its evidence. */
export interface FindingShape<Figures, Kind extends string = string> {
  readonly kind: Kind;
  /** It is the verdict, or could be one; the others are worth knowing beside it. */
  readonly limits: boolean;
  readonly cause: Cause;
  /** What it is about, the main one first: ids of operators; of a program, the loader and then operators. */
  readonly operators: readonly string[];
  readonly figures: Figures;
  readonly fix: Fix;
  readonly gain: Gain | undefined;
  readonly doubts: readonly Doubt[];
}
