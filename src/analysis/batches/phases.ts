import { RECORD_KIND } from '../../model/record.ts';
import type { LaneInfo, RecordBlock } from '../../model/span.ts';
import { type Ns, ns, type Share, share } from '../../model/units.ts';
import { LoaderNames } from './loader-names.ts';
import type { LoaderSummary } from './summary.ts';

/** What a step's time goes into, in the order in which it is shown. `fetch` is the wait for the batch, `rest` what no hook saw. */
export const STEP_PHASES = ['fetch', 'copy', 'zero-grad', 'forward', 'backward', 'optimizer', 'rest'] as const;
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
      const known = this.phases.get(span.name) ?? { time: 0, calls: 0 };
      this.phases.set(span.name, { time: known.time + ownTime(span, phases), calls: known.calls + 1 });
    }
  }
}

/** Without what lies in it: an optimizer may be given a function that does forward and backward. */
function ownTime(span: Span, all: readonly Span[]): number {
  const inside = all.filter(other => other !== span && other.start >= span.start && other.end <= span.end);
  return span.end - span.start - inside.reduce((sum, other) => sum + other.end - other.start, 0);
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
      this.#span(lane, key.slice(0, colon), {
        name: key.slice(colon + 1),
        start: from,
        end: from + (duration[row] ?? 0),
      });
    }
  }

  #span(lane: LaneInfo, space: string, span: Span): void {
    if (space === 'step') {
      this.#close();
      const whole = span.end - span.start;
      const host = { whole, phases: [] };
      this.#step = {
        loader: this.#names.of(lane.pid, span.name),
        lane: lane.index,
        host,
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
    totalsOf(this.#host, step.loader).add(step.host);
    if (step.device.whole !== undefined) totalsOf(this.#device, step.loader).add(step.device);
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

function totalsOf(all: Map<string, Totals>, loader: string): Totals {
  const totals = all.get(loader) ?? new Totals();
  all.set(loader, totals);
  return totals;
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
    const sum = (of: (row: { time: number; calls: number }) => number): number =>
      rows.reduce((all, [, row]) => all + of(row), 0) / steps;
    const heaviest = rows.sort(([, a], [, b]) => b.time - a.time);
    return {
      of: heaviest.flatMap(([key]) => (key === phase ? [] : [key.slice(phase.length + 1)])),
      calls: sum(({ calls }) => calls),
      mean: ns(sum(({ time }) => time)),
    };
  };
  const seen = STEP_PHASES.map(phase => ({ phase, ...timeOf(phase) })).filter(({ calls }) => calls > 0);
  const rest = Math.max(0, whole / steps - seen.reduce((sum, row) => sum + row.mean, 0));
  const edge = (phase: StepPhase, time: number) => ({ phase, of: [], calls: 1, mean: ns(time) });
  const rows = [edge('fetch', fetch), ...seen, edge('rest', rest)];
  return {
    loader: name,
    steps,
    onDevice,
    mean: ns(mean),
    phases: rows.map(row => ({ ...row, share: share(mean > 0 ? row.mean / mean : 0) })),
  };
}
