import { mean, quantile } from '../../math/statistics.ts';
import type { Cluster } from './cluster.ts';
import type { CompiledSteps } from './compile.ts';
import { simulate } from './simulate.ts';
import { isLink, type ScaleoutProfile, type ScaleoutStep } from './step.ts';

/** Errors of a simulation of one worker against its own recording, as parts of what was recorded (the paper's table 1). */
export interface Reproduction {
  /** Of the moments, from the start of their step, at which streams ended. */
  readonly streams: { readonly mean: number; readonly median: number; readonly p95: number; readonly max: number };
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
  const errors: number[] = [];
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
        const off = endErrors(profile, compiled, step, start, ends);
        errors.push(...off);
        offByStep.push(mean(off));
        stepErrors.push(Math.abs((end - start) / recorded.duration - 1));
        ends.length = 0;
      },
    },
  );
  errors.sort((a, b) => a - b);
  return {
    streams: {
      mean: mean(errors),
      median: quantile(errors, 1 / 2),
      p95: quantile(errors, TABLE_1_QUANTILE),
      max: errors.at(-1) ?? Number.NaN,
    },
    offByStep,
    stepTime: mean(stepErrors),
    steps: stepErrors.length,
  };
}

/** Of each stream of a step. */
function endErrors(
  { steps, graphs }: ScaleoutProfile,
  { bases, offsets, dependents, parsed }: CompiledSteps,
  step: number,
  start: number,
  ends: readonly (readonly [row: number, end: number])[],
): number[] {
  const recorded = steps[step] as ScaleoutStep;
  const base = bases[step] as number;
  const endOf = new Map(ends);
  const errors: number[] = [];
  for (const [op, resource] of (graphs[recorded.graph]?.resources ?? []).entries()) {
    if (!isLink(resource)) continue;
    // A stream is recorded as ended when it has been parsed, which its one dependent does.
    const parser = base + (dependents[offsets[base + op] as number] ?? 0);
    const isParsed = !Number.isNaN(parsed[parser]) && (parsed[parser] as number) >= 0;
    const end = endOf.get(isParsed ? parser : base + op) ?? Number.NaN;
    const recordedEnd = (recorded.starts[op] ?? 0) + (recorded.durations[op] ?? 0);
    if (recordedEnd > 0) errors.push(Math.abs((end - start) / recordedEnd - 1));
  }
  return errors;
}
