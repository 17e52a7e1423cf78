import { entryOf } from '../../math/groups.ts';
import { ratio } from '../../math/ratio.ts';
import { sumOf } from '../../math/totals.ts';
import { RECORD_KIND } from '../../model/record.ts';
import type { LaneInfo, RecordBlock } from '../../model/span.ts';
import { type Ns, ns, type Share, share } from '../../model/units.ts';
import { LoaderNames } from './loader-names.ts';
import type { LoaderSummary } from './summary.ts';

/** Phases of a step, in the order in which they are shown. `fetch` is the wait for the batch, `rest` the time outside all hooks. */
const STEP_PHASES = ['fetch', 'copy', 'zero-grad', 'forward', 'backward', 'optimizer', 'rest'] as const;
export type StepPhase = (typeof STEP_PHASES)[number];

export interface PhaseTime {
  readonly phase: StepPhase;
  /** The modules or optimizers that were called, those with most time first. */
  readonly of: readonly string[];
  /** Calls per step, on average. */
  readonly calls: number;
  /** Per step, on average over all that were watched. */
  readonly mean: Ns;
  /** Part of the step, the wait for its batch included. */
  readonly share: Share;
}

/** The steps with a loader's batches that were watched. */
export interface StepPhases {
  readonly loader: string;
  readonly steps: number;
  /** Times are those of the device; of the host otherwise. */
  readonly onDevice: boolean;
  /** A step, the wait for its batch included. */
  readonly mean: Ns;
  readonly phases: readonly PhaseTime[];
}

interface Span {
  readonly name: string;
  readonly start: number;
  readonly end: number;
}

interface Clock {
  whole: number | undefined;
  readonly phases: Span[];
}

interface WatchedStep {
  readonly loader: string;
  readonly lane: number;
  readonly host: Clock;
  readonly device: Clock;
}

class Totals {
  steps = 0;
  whole = 0;
  readonly phases = new Map<string, { time: number; calls: number }>();

  add({ whole = 0, phases }: Clock): void {
    this.steps++;
    this.whole += whole;
    for (const span of phases) {
      const total = entryOf(this.phases, span.name, () => ({ time: 0, calls: 0 }));
      total.time += ownTime(span, phases);
      total.calls++;
    }
  }
}

/** Duration without the spans inside it: an optimizer may be given a function that does forward and backward. */
function ownTime(span: Span, all: readonly Span[]): number {
  const inside = all.filter(other => other !== span && other.start >= span.start && other.end <= span.end);
  return span.end - span.start - sumOf(inside, other => other.end - other.start);
}

/** Gathers the steps that the probe watched: each is written whole, its phases behind it. */
export class PhaseFold {
  readonly #host = new Map<string, Totals>();
  readonly #device = new Map<string, Totals>();
  readonly #names = new LoaderNames();
  #step: WatchedStep | undefined;

  block({ lane, count, kind, subject, start, duration }: RecordBlock, subjects: readonly string[]): void {
    this.#names.learnFrom(subjects);
    for (let row = 0; row < count; row++) {
      if (kind[row] !== RECORD_KIND.span) continue;
      const key = subjects[subject[row] ?? -1] ?? '';
      const colon = key.indexOf(':');
      const from = start[row] ?? 0;
      const end = from + (duration[row] ?? 0);
      this.#span(lane, key.slice(0, colon), { name: key.slice(colon + 1), start: from, end });
    }
  }

  #span(lane: LaneInfo, space: string, span: Span): void {
    if (space === 'step') {
      this.#close();
      this.#step = {
        loader: this.#names.of(lane.pid, span.name),
        lane: lane.index,
        host: { whole: span.end - span.start, phases: [] },
        device: { whole: undefined, phases: [] },
      };
    }
    const step = this.#step;
    if (step === undefined || step.lane !== lane.index) return;
    if (space === 'phase') step.host.phases.push(span);
    else if (space === 'device-step') step.device.whole = span.end - span.start;
    else if (space === 'device-phase') step.device.phases.push(span);
  }

  #close(): void {
    const step = this.#step;
    this.#step = undefined;
    if (step === undefined) return;
    entryOf(this.#host, step.loader, () => new Totals()).add(step.host);
    if (step.device.whole !== undefined) entryOf(this.#device, step.loader, () => new Totals()).add(step.device);
  }

  /** Of the loaders whose steps were watched. */
  result(loaders: readonly LoaderSummary[]): StepPhases[] {
    this.#close();
    return loaders.flatMap(loader => {
      const device = this.#device.get(loader.name);
      const totals = device ?? this.#host.get(loader.name);
      return totals === undefined ? [] : [phasesOf(loader, totals, device !== undefined)];
    });
  }
}

function phasesOf({ name, evidence }: LoaderSummary, { steps, whole, phases }: Totals, onDevice: boolean): StepPhases {
  const [waited, batches] =
    onDevice && evidence.deviceSteps > 0
      ? [evidence.deviceWait, evidence.deviceSteps]
      : [evidence.wait, evidence.batches];
  const fetch = waited / Math.max(1, batches);
  const mean = fetch + whole / steps;
  const timeOf = (phase: StepPhase): Pick<PhaseTime, 'of' | 'calls' | 'mean'> => {
    const rows = [...phases].filter(([key]) => key === phase || key.startsWith(`${phase}:`));
    const heaviest = rows.sort(([, a], [, b]) => b.time - a.time);
    return {
      of: heaviest.flatMap(([key]) => (key === phase ? [] : [key.slice(phase.length + 1)])),
      calls: sumOf(rows, ([, { calls }]) => calls) / steps,
      mean: ns(sumOf(rows, ([, { time }]) => time) / steps),
    };
  };
  const seen = STEP_PHASES.map(phase => ({ phase, ...timeOf(phase) })).filter(({ calls }) => calls > 0);
  const rest = Math.max(0, whole / steps - sumOf(seen, row => row.mean));
  const edge = (phase: StepPhase, time: number) => ({ phase, of: [], calls: 1, mean: ns(time) });
  const rows = [edge('fetch', fetch), ...seen, edge('rest', rest)];
  return {
    loader: name,
    steps,
    onDevice,
    mean: ns(mean),
    phases: rows.map(row => ({ ...row, share: share(ratio(row.mean, mean)) })),
  };
}
