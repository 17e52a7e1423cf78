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
] as const;
type Scalar = (typeof SCALARS)[number];
const COLUMNS = [
  'elementsIn',
  'elementsOut',
  'sampledElements',
  'sampledTime',
  'sampledSquares',
  'sizedElements',
  'sampledBytes',
  'sampledArrays',
  'stayingElements',
  'keyedDraws',
  'ambientDraws',
  'calls',
  'callTime',
  'slowestCall',
  'failedCalls',
] as const;

/** How much a lane keeps books about. */
export interface LaneSize {
  readonly operators: number;
  /** Channels it reads from, and those it writes to. */
  readonly inputs: number;
  readonly outputs: number;
}

export const allocateTotals = ({ operators, inputs, outputs }: LaneSize): SharedArrayBuffer =>
  new SharedArrayBuffer((SCALARS.length + COLUMNS.length * operators + FLOW_WORDS * (inputs + outputs)) * 8);

/** A lane's totals in shared memory: the lane writes them, anyone may look. */
export class SharedTotals implements LaneTotals {
  readonly #scalars: Float64Array;
  /** Its part in the channels at its two ends. */
  readonly inputs: readonly Flow[];
  readonly outputs: readonly Flow[];
  readonly elementsIn: Float64Array;
  readonly elementsOut: Float64Array;
  readonly sampledElements: Float64Array;
  readonly sampledTime: Float64Array;
  readonly sampledSquares: Float64Array;
  readonly sizedElements: Float64Array;
  readonly sampledBytes: Float64Array;
  readonly sampledArrays: Float64Array;
  readonly stayingElements: Float64Array;
  readonly keyedDraws: Float64Array;
  readonly ambientDraws: Float64Array;
  readonly calls: Float64Array;
  readonly callTime: Float64Array;
  readonly slowestCall: Float64Array;
  readonly failedCalls: Float64Array;

  constructor(memory: SharedArrayBuffer, { operators, inputs, outputs }: LaneSize) {
    this.#scalars = new Float64Array(memory, 0, SCALARS.length);
    const flow = (at: number): Flow =>
      new Flow(
        new Float64Array(memory, (SCALARS.length + COLUMNS.length * operators + FLOW_WORDS * at) * 8, FLOW_WORDS),
      );
    this.inputs = Array.from({ length: inputs }, (_, port) => flow(port));
    this.outputs = Array.from({ length: outputs }, (_, at) => flow(inputs + at));
    const column = (name: (typeof COLUMNS)[number]): Float64Array =>
      new Float64Array(memory, (SCALARS.length + COLUMNS.indexOf(name) * operators) * 8, operators);
    this.elementsIn = column('elementsIn');
    this.elementsOut = column('elementsOut');
    this.sampledElements = column('sampledElements');
    this.sampledTime = column('sampledTime');
    this.sampledSquares = column('sampledSquares');
    this.sizedElements = column('sizedElements');
    this.sampledBytes = column('sampledBytes');
    this.sampledArrays = column('sampledArrays');
    this.stayingElements = column('stayingElements');
    this.keyedDraws = column('keyedDraws');
    this.ambientDraws = column('ambientDraws');
    this.calls = column('calls');
    this.callTime = column('callTime');
    this.slowestCall = column('slowestCall');
    this.failedCalls = column('failedCalls');
  }

  #get(name: Scalar): number {
    return this.#scalars[SCALARS.indexOf(name)] ?? 0;
  }

  #set(name: Scalar, value: number): void {
    this.#scalars[SCALARS.indexOf(name)] = value;
  }

  get starved(): number {
    return this.#get('starved');
  }
  set starved(value: number) {
    this.#set('starved', value);
  }

  get backpressured(): number {
    return this.#get('backpressured');
  }
  set backpressured(value: number) {
    this.#set('backpressured', value);
  }

  get chunks(): number {
    return this.#get('chunks');
  }
  set chunks(value: number) {
    this.#set('chunks', value);
  }

  get busy(): number {
    return this.#get('busy');
  }
  set busy(value: number) {
    this.#set('busy', value);
  }

  get inOperators(): number {
    return this.#get('inOperators');
  }
  set inOperators(value: number) {
    this.#set('inOperators', value);
  }

  get bytesIn(): number {
    return this.#get('bytesIn');
  }
  set bytesIn(value: number) {
    this.#set('bytesIn', value);
  }

  get bytesOut(): number {
    return this.#get('bytesOut');
  }
  set bytesOut(value: number) {
    this.#set('bytesOut', value);
  }

  /** Typed arrays with memory of their own among what left it. */
  get arraysOut(): number {
    return this.#get('arraysOut');
  }
  set arraysOut(value: number) {
    this.#set('arraysOut', value);
  }

  /** Share of the source that was read; negative where its length is unknown. */
  get done(): number {
    return this.#get('done');
  }
  set done(value: number) {
    this.#set('done', value);
  }

  get files(): number {
    return this.#get('files');
  }
  set files(value: number) {
    this.#set('files', value);
  }
}
