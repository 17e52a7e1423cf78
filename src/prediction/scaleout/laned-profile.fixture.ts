import fc from 'fast-check';
import { COLLECTIVE, type ScaleoutProfile, type StepGraph, WORKER } from './step.ts';

export const LANES = 3;
/** Below the ops of a step by more than its square. */
const COLLECTIVES = 3;

/** Ops of a step on lanes. */
export interface LanedSteps {
  /** By op: its lane, or that it is a collective. */
  readonly lanes: readonly number[];
  /** By op: how far before it the op is that it waits for beside that of its lane; 0: none. */
  readonly back: readonly number[];
  readonly seconds: readonly (readonly number[])[];
}

export const OPS = 20;

export const lanedSteps: fc.Arbitrary<LanedSteps> = fc.record({
  lanes: fc.array(fc.integer({ min: 0, max: LANES }), { minLength: OPS, maxLength: OPS }),
  back: fc.array(fc.integer({ min: 0, max: 6 }), { minLength: OPS, maxLength: OPS }),
  seconds: fc.array(fc.array(fc.double({ min: 0.001, max: 1, noNaN: true }), { minLength: OPS, maxLength: OPS }), {
    minLength: 1,
    maxLength: 3,
  }),
});

/** Ops on lanes, one after the other on each, among them a few collectives. */
export function lanedProfile({ lanes, back, seconds }: LanedSteps): ScaleoutProfile {
  let collectives = 0;
  const isCollective = lanes.map(lane => lane === LANES && ++collectives <= COLLECTIVES);
  const laneOf = (op: number): number => (isCollective[op] === true ? LANES : (lanes[op] ?? 0) % LANES);
  const dependents: number[][] = lanes.map(() => []);
  for (const op of lanes.keys()) {
    const before = [...Array(op).keys()].filter(other => laneOf(other) === laneOf(op)).at(-1);
    if (before !== undefined && isCollective[op] !== true) dependents[before]?.push(op);
    const other = op - (back[op] ?? 0);
    if (other >= 0 && other < op && dependents[other]?.includes(op) === false) dependents[other].push(op);
  }
  const offsets = [0];
  for (const own of dependents) offsets.push((offsets.at(-1) ?? 0) + own.length);
  const graph: StepGraph = {
    names: lanes.map((_, op) => `op ${op}`),
    resources: isCollective.map(is => (is ? COLLECTIVE : WORKER)),
    bytes: isCollective.map((is, op) => (is ? (op + 1) * 1e6 : 0)),
    parameters: lanes.map(() => -1),
    recordedServers: [],
    offsets,
    dependents: dependents.flat(),
  };
  const starts = lanes.map((_, op) => op);
  return {
    batchSize: 1,
    graphs: [graph],
    steps: seconds.map(durations => ({ graph: 0, durations, starts, duration: OPS })),
  };
}
