import { mean, quantile } from '../../math/statistics.ts';
import type { Cluster } from './cluster.ts';
import type { CompiledSteps } from './compile.ts';
import { simulate } from './simulate.ts';
import { DOWNLINK, isLink, type ScaleoutProfile, type ScaleoutStep } from './step.ts';

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
  const errors: StreamError[] = [];
  const stepErrors: number[] = [];
  const offByStep: number[] = [];
  const ends: (readonly [row: number, end: number])[] = [];
  simulate(
    compiled,
    cluster,
    { steps: choices.length, warmUp: 0, seed: 1, inOrder: true, choices },
    {
      chunk: (_worker, _unit, row, _start, end) => ends.push([row, end]),
      step: (_worker, step, start, end) => {
        const recorded = profile.steps[step] as ScaleoutStep;
        const off = streamErrors(profile, compiled, step, start, ends);
        errors.push(...off);
        // Of a step none of whose streams was recorded nothing is known to be off.
        offByStep.push(off.length === 0 ? 0 : mean(off.map(({ off: own }) => own)));
        stepErrors.push(Math.abs((end - start) / recorded.duration - 1));
        ends.length = 0;
      },
    },
  );
  return {
    streams: endErrors(errors),
    downlinks: endErrors(errors.filter(({ isDownlink }) => isDownlink)),
    offByStep,
    stepTime: mean(stepErrors),
    steps: stepErrors.length,
  };
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

/** Of each stream of a step. */
function streamErrors(
  { steps, graphs }: ScaleoutProfile,
  { bases, offsets, dependents, parsed }: CompiledSteps,
  step: number,
  start: number,
  ends: readonly (readonly [row: number, end: number])[],
): StreamError[] {
  const recorded = steps[step] as ScaleoutStep;
  const base = bases[step] as number;
  const endOf = new Map(ends);
  const guessed = new Set(recorded.guessed);
  const errors: StreamError[] = [];
  for (const [op, resource] of (graphs[recorded.graph]?.resources ?? []).entries()) {
    if (!isLink(resource) || guessed.has(op)) continue;
    // A stream is recorded as ended when it has been parsed, which its one dependent does.
    const parser = base + (dependents[offsets[base + op] as number] ?? 0);
    const isParsed = !Number.isNaN(parsed[parser]) && (parsed[parser] as number) >= 0;
    const end = endOf.get(isParsed ? parser : base + op) ?? Number.NaN;
    const recordedEnd = (recorded.starts[op] ?? 0) + (recorded.durations[op] ?? 0);
    if (recordedEnd <= 0) continue;
    const simulatedEnd = end - start;
    const off = Math.abs(simulatedEnd - recordedEnd);
    errors.push({
      isDownlink: resource === DOWNLINK,
      off: off / recordedEnd,
      ofLater: off / Math.max(simulatedEnd, recordedEnd),
      ofStep: off / recorded.duration,
    });
  }
  return errors;
}
