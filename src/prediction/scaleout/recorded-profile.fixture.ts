import type { ParseOverhead } from './cluster.ts';
import { compileSteps } from './compile.ts';
import { clusterOf, STEP_SETTINGS } from './defaults.ts';
import { simulate } from './simulate.ts';
import { DOWNLINK, isLink, type ScaleoutProfile, type ScaleoutStep } from './step.ts';

interface Recording {
  /** Of the link, bytes per second. */
  readonly bandwidth: number;
  readonly window?: number;
  readonly uplinkWindow?: number;
  readonly overhead?: ParseOverhead;
}

/** Seconds between two requests for parameters, which go out one after the other as a step begins. */
const REQUEST_SECONDS = 1e-9;

/**
 * What a profiler would have recorded of one worker that does these steps of one graph: streams begin when they are asked for, and end when they are parsed. When they were handed over, which the
 * steps' own delays say, it does not tell.
 */
export function recordedProfile(
  done: ScaleoutProfile,
  { bandwidth, window = Number.POSITIVE_INFINITY, uplinkWindow = window, overhead = NO_OVERHEAD }: Recording,
): ScaleoutProfile {
  const compiled = compileSteps(done, { ...STEP_SETTINGS, overhead });
  const { resources = [] } = done.graphs[0] ?? {};
  const ops = [...resources.keys()];
  const isStream = (op: number): boolean => isLink(resources[op] ?? 0);
  const askedLate = (op: number): number => (resources[op] === DOWNLINK ? op * REQUEST_SECONDS : 0);
  const steps: ScaleoutStep[] = [];
  let [starts, ends] = [new Map<number, number>(), new Map<number, number>()];
  simulate(
    compiled,
    clusterOf({ workers: 1, bandwidth, window, uplinkWindow }),
    { steps: done.steps.length, warmUp: 0, seed: 1, inOrder: true },
    {
      chunk: (_worker, _unit, row, start, end) => {
        starts.set(row, Math.min(start, starts.get(row) ?? start));
        ends.set(row, end);
      },
      step: (_worker, step, start, end) => {
        const ended = (op: number): number => {
          const next = compiled.dependents[compiled.offsets[op] ?? 0] ?? 0;
          return ends.get(isStream(op) && next >= ops.length ? next : op) ?? 0;
        };
        const began = (op: number): number =>
          resources[op] === DOWNLINK ? start + askedLate(op) : (starts.get(op) ?? 0);
        const { durations } = done.steps[step] as ScaleoutStep;
        steps.push({
          graph: 0,
          starts: ops.map(op => began(op) - start),
          delays: ops.map(askedLate),
          durations: ops.map(op => (isStream(op) ? ended(op) - began(op) : (durations[op] ?? 0))),
          duration: end - start,
        });
        [starts, ends] = [new Map(), new Map()];
      },
    },
  );
  return { ...done, steps };
}

const NO_OVERHEAD: ParseOverhead = { perByte: 0, perMessage: 0 };
