import { Flow } from './flow.ts';
import type { LaneTotals } from './probe.ts';

const SCALARS = [
  'starved',
  'backpressured',
  'chunks',
  'busy',
  'inOperators',
  'bytesIn',
  'bytesOut',
  'done',
  'files',
] as const;
type Scalar = (typeof SCALARS)[number];
/** Behind the scalars: what the lane saw of its input and its output channel. */
const FLOW_WORDS = 4;
const HEAD = SCALARS.length + 2 * FLOW_WORDS;
const COLUMNS = [
  'elementsIn',
  'elementsOut',
  'sampledElements',
  'sampledTime',
  'sampledSquares',
  'sizedElements',
  'sampledBytes',
] as const;

export const allocateTotals = (operators: number): SharedArrayBuffer =>
  new SharedArrayBuffer((HEAD + COLUMNS.length * operators) * 8);

/** A lane's totals in shared memory: the lane writes them, anyone may look. */
export class SharedTotals implements LaneTotals {
  readonly #scalars: Float64Array;
  /** Its part in the channels at its two ends. */
  readonly input: Flow;
  readonly output: Flow;
  readonly elementsIn: Float64Array;
  readonly elementsOut: Float64Array;
  readonly sampledElements: Float64Array;
  readonly sampledTime: Float64Array;
  readonly sampledSquares: Float64Array;
  readonly sizedElements: Float64Array;
  readonly sampledBytes: Float64Array;

  constructor(memory: SharedArrayBuffer, operators: number) {
    this.#scalars = new Float64Array(memory, 0, SCALARS.length);
    this.input = new Flow(new Float64Array(memory, SCALARS.length * 8, FLOW_WORDS));
    this.output = new Flow(new Float64Array(memory, (SCALARS.length + FLOW_WORDS) * 8, FLOW_WORDS));
    const column = (name: (typeof COLUMNS)[number]): Float64Array =>
      new Float64Array(memory, (HEAD + COLUMNS.indexOf(name) * operators) * 8, operators);
    this.elementsIn = column('elementsIn');
    this.elementsOut = column('elementsOut');
    this.sampledElements = column('sampledElements');
    this.sampledTime = column('sampledTime');
    this.sampledSquares = column('sampledSquares');
    this.sizedElements = column('sizedElements');
    this.sampledBytes = column('sampledBytes');
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
