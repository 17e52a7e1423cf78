import type { LaneTotals } from '../../contract/probe.ts';
import { FLOW_WORDS, Flow } from './flow.ts';

const SCALARS = [
  'starved',
  'backpressured',
  'chunks',
  'busy',
  'inOperators',
  'bytesIn',
  'bytesOut',
  'arraysOut',
  'done',
  'files',
] as const satisfies readonly (keyof LaneTotals)[];
const COLUMNS = [
  'elementsIn',
  'elementsOut',
  'sampledElements',
  'sampledTime',
  'sampledSquares',
  'sizedElements',
  'sampledBytes',
  'sampledArrays',
  'sampledObjects',
  'stayingElements',
  'keyedDraws',
  'ambientDraws',
  'calls',
  'callTime',
  'slowestCall',
  'failedCalls',
] as const satisfies readonly (keyof LaneTotals)[];

/** How much a lane keeps books about. */
export interface LaneSize {
  readonly operators: number;
  /** Channels it reads from, and those it writes to. */
  readonly inputs: number;
  readonly outputs: number;
}

/** A lane's totals in shared memory: the lane writes them, anyone may look. */
export interface SharedTotals extends LaneTotals {
  readonly memory: SharedArrayBuffer;
  /** Its part in the channels at its two ends. */
  readonly inputs: readonly Flow[];
  readonly outputs: readonly Flow[];
}

/** Those that are in `memory`; new ones where that is left out. */
export const sharedTotals = (size: LaneSize, memory?: SharedArrayBuffer): SharedTotals =>
  // Its columns and scalars are defined by their names.
  new Totals(size, memory) as unknown as SharedTotals;

class Totals {
  readonly memory: SharedArrayBuffer;
  readonly scalars: Float64Array;
  readonly inputs: readonly Flow[];
  readonly outputs: readonly Flow[];

  constructor({ operators, inputs, outputs }: LaneSize, memory?: SharedArrayBuffer) {
    const words = SCALARS.length + COLUMNS.length * operators + FLOW_WORDS * (inputs + outputs);
    this.memory = memory ?? new SharedArrayBuffer(words * 8);
    let at = 0;
    const next = (length: number): Float64Array => {
      at += length;
      return new Float64Array(this.memory, (at - length) * 8, length);
    };
    this.scalars = next(SCALARS.length);
    Object.assign(this, Object.fromEntries(COLUMNS.map(name => [name, next(operators)])));
    this.inputs = Array.from({ length: inputs }, () => new Flow(next(FLOW_WORDS)));
    this.outputs = Array.from({ length: outputs }, () => new Flow(next(FLOW_WORDS)));
  }
}

for (const [at, name] of SCALARS.entries()) {
  Object.defineProperty(Totals.prototype, name, {
    get(this: Totals) {
      return this.scalars[at];
    },
    set(this: Totals, value: number) {
      this.scalars[at] = value;
    },
  });
}
