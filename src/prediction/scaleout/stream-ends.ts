import { mean, quantile } from '../../math/statistics.ts';
import type { Cluster } from './cluster.ts';
import type { CompiledSteps } from './compile.ts';
import { simulate } from './simulate.ts';
import { DOWNLINK, endOf, isLink, type ScaleoutProfile, type ScaleoutStep } from './step.ts';

/** Errors of the moments, from the start of their step, at which streams ended, as parts of the recorded moment. */
export interface EndErrors {
  readonly mean: number;
  readonly median: number;
  readonly p95: number;
  readonly max: number;
  /** Mean of the same errors as parts of the later of both moments: one stream that was forecast behind a long one and came before it does not outweigh all others. */
  readonly ofLater: number;
  /** Mean of the same errors as parts of the whole step: of what ends a few milliseconds after a step has begun, a late wake-up of a thread is a large part. */
  readonly ofStep: number;
}

/** Errors of a simulation of one worker against its own recording. */
export interface Reproduction {
  /** Of streams in both directions; of those from servers alone, of which the paper's table 1 is. It does not say what its errors are parts of. */
  readonly streams: EndErrors;
  readonly downlinks: EndErrors;
  /** By step: the mean of those. */
  readonly offByStep: readonly number[];
  /** Mean over steps, without sign. */
  readonly stepTime: number;
  readonly steps: number;
}

/** The upper quantile of errors that the paper's table 1 has. */
const TABLE_1_QUANTILE = 0.95;

/** Simulates the chosen steps one after the other. */
export function reproduce(
  profile: ScaleoutProfile,
  compiled: CompiledSteps,
  cluster: Cluster,
  choices: readonly number[],
): Reproduction {
  const streams = profile.steps.map((_, step) => recordedStreams(profile, compiled, step));
  const errors: StreamError[] = [];
  const stepErrors: number[] = [];
  const offByStep: number[] = [];
  replay(compiled, cluster, choices, (step, start, end, endOf) => {
    const own = streams[step] as RecordedStreams;
    const { duration } = profile.steps[step] as ScaleoutStep;
    offByStep.push(meanOff(own, start, endOf));
    for (const [at, row] of own.rows.entries()) {
      const recordedEnd = own.ends[at] as number;
      const simulatedEnd = (endOf[row] as number) - start;
      const off = Math.abs(simulatedEnd - recordedEnd);
      errors.push({
        isDownlink: own.isDownlink[at] === 1,
        off: off / recordedEnd,
        ofLater: off / Math.max(simulatedEnd, recordedEnd),
        ofStep: off / duration,
      });
    }
    stepErrors.push(Math.abs((end - start) / duration - 1));
  });
  return {
    streams: endErrors(errors),
    downlinks: endErrors(errors.filter(({ isDownlink }) => isDownlink)),
    offByStep,
    stepTime: mean(stepErrors),
    steps: stepErrors.length,
  };
}

/** Of each chosen step the mean of how far its streams are off, which is what is fitted. `streams` is by step of the profile. */
export function errorsByStep(
  streams: readonly RecordedStreams[],
  compiled: CompiledSteps,
  cluster: Cluster,
  choices: readonly number[],
): number[] {
  const off: number[] = [];
  replay(compiled, cluster, choices, (step, start, _end, endOf) => {
    off.push(meanOff(streams[step] as RecordedStreams, start, endOf));
  });
  return off;
}

/** `endOf` is by row of the compiled steps, and good until the next step begins. */
type StepSeen = (step: number, start: number, end: number, endOf: Float64Array) => void;

function replay(compiled: CompiledSteps, cluster: Cluster, choices: readonly number[], seen: StepSeen): void {
  const endOf = new Float64Array(compiled.names.length).fill(Number.NaN);
  simulate(
    compiled,
    cluster,
    { steps: choices.length, warmUp: 0, seed: 1, inOrder: true, choices },
    {
      chunk: (_worker, _unit, row, _start, end) => {
        endOf[row] = end;
      },
      step: (_worker, step, start, end) => seen(step, start, end, endOf),
    },
  );
}

interface StreamError {
  readonly isDownlink: boolean;
  readonly off: number;
  readonly ofLater: number;
  readonly ofStep: number;
}

function endErrors(streams: readonly StreamError[]): EndErrors {
  const errors = streams.map(({ off }) => off).sort((a, b) => a - b);
  return {
    mean: mean(errors),
    median: quantile(errors, 1 / 2),
    p95: quantile(errors, TABLE_1_QUANTILE),
    max: errors.at(-1) ?? Number.NaN,
    ofLater: mean(streams.map(({ ofLater }) => ofLater)),
    ofStep: mean(streams.map(({ ofStep }) => ofStep)),
  };
}

/** Streams of a step whose ends were recorded. */
export interface RecordedStreams {
  /** Of the compiled op whose end is the stream's. */
  readonly rows: Int32Array;
  /** Seconds from the start of the step. */
  readonly ends: Float64Array;
  readonly isDownlink: Uint8Array;
}

export function recordedStreams(
  { steps, graphs }: ScaleoutProfile,
  { bases, offsets, dependents, parsed }: CompiledSteps,
  step: number,
): RecordedStreams {
  const recorded = steps[step] as ScaleoutStep;
  const resources = graphs[recorded.graph]?.resources ?? [];
  const base = bases[step] as number;
  const guessed = new Set(recorded.guessed);
  const ops = [...resources.keys()].filter(
    op => isLink(resources[op] ?? 0) && !guessed.has(op) && endOf(recorded, op) > 0,
  );
  const rowOf = (op: number): number => {
    // A stream is recorded as ended when it has been parsed, which its one dependent does.
    const parser = base + (dependents[offsets[base + op] as number] ?? 0);
    return (parsed[parser] as number) >= 0 ? parser : base + op;
  };
  return {
    rows: Int32Array.from(ops, rowOf),
    ends: Float64Array.from(ops, op => endOf(recorded, op)),
    isDownlink: Uint8Array.from(ops, op => Number(resources[op] === DOWNLINK)),
  };
}

/** Of a step none of whose streams was recorded nothing is known to be off. */
function meanOff({ rows, ends }: RecordedStreams, start: number, endOf: Float64Array): number {
  let sum = 0;
  for (let at = 0; at < rows.length; at++) {
    const recordedEnd = ends[at] as number;
    sum += Math.abs((endOf[rows[at] as number] as number) - start - recordedEnd) / recordedEnd;
  }
  return rows.length === 0 ? 0 : sum / rows.length;
}
