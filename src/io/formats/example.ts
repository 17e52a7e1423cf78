import { WireReader } from './wire-reader.ts';

/** A list of values: bytes, 32-bit floats, or whole numbers, which are bigints where one of them is too large for a number. */
export type Feature = Uint8Array[] | Float32Array | number[] | bigint[];

export type Example = Record<string, Feature>;

export interface SequenceExample {
  readonly context: Example;
  /** A feature for every step, by name. */
  readonly featureLists: Record<string, Feature[]>;
}

/** What the messages of tensorflow/core/example number their fields. */
const MAP_KEY = 1;
const MAP_VALUE = 2;
const BYTES_LIST = 1;
const FLOAT_LIST = 2;
const INT64_LIST = 3;
const ONLY = 1;
const CONTEXT = 1;
const FEATURE_LISTS = 2;

const EXAMPLE = 'a tf.train.Example';
const SEQUENCE_EXAMPLE = 'a tf.train.SequenceExample';

/** The features of a serialised tf.train.Example by name. Byte values are views of `bytes`, not copies. */
export function decodeExample<T extends object = Example>(bytes: Uint8Array): T {
  const reader = new WireReader(bytes, EXAMPLE);
  const example: Example = {};
  while (reader.fieldOf(ONLY, bytes.length)) features(reader, reader.message(), example);
  return example as T;
}

/** The context and the feature lists of a serialised tf.train.SequenceExample. Byte values are views of `bytes`. */
export function decodeSequenceExample(bytes: Uint8Array): SequenceExample {
  const reader = new WireReader(bytes, SEQUENCE_EXAMPLE);
  const context: Example = {};
  const featureLists: Record<string, Feature[]> = {};
  while (reader.field(bytes.length)) {
    if (reader.number === CONTEXT) features(reader, reader.message(), context);
    else if (reader.number === FEATURE_LISTS) entries(reader, reader.message(), featureLists, featureList);
    else reader.skip();
  }
  return { context, featureLists };
}

const features = (reader: WireReader, end: number, into: Example): void => entries(reader, end, into, feature);

type ReadValue<V> = (reader: WireReader, end: number) => V;

/** A protobuf map is a list of messages with a key and a value; the last of a key counts. */
function entries<V>(reader: WireReader, end: number, into: Record<string, V>, read: ReadValue<V>): void {
  while (reader.fieldOf(ONLY, end)) {
    const entryEnd = reader.message();
    let key = '';
    let value: V | undefined;
    while (reader.field(entryEnd)) {
      if (reader.number === MAP_KEY) key = reader.text();
      else if (reader.number === MAP_VALUE) value = read(reader, reader.message());
      else reader.skip();
    }
    // A value that was left out is an empty one, as a message of no bytes is.
    value ??= read(reader, reader.at);
    // Assigning to __proto__ would set no key.
    if (key === '__proto__') Object.defineProperty(into, key, { ...OWN, value });
    else into[key] = value;
  }
}

const OWN = { configurable: true, enumerable: true, writable: true } as const;

function featureList(reader: WireReader, end: number): Feature[] {
  const list: Feature[] = [];
  while (reader.fieldOf(ONLY, end)) list.push(feature(reader, reader.message()));
  return list;
}

/** One of three lists. A feature that was given none is an empty one. */
function feature(reader: WireReader, end: number): Feature {
  let value: Feature = [];
  while (reader.field(end)) {
    if (reader.number === BYTES_LIST) value = bytesList(reader, reader.message());
    else if (reader.number === FLOAT_LIST) value = floatList(reader, reader.message());
    else if (reader.number === INT64_LIST) value = int64List(reader, reader.message());
    else reader.skip();
  }
  return value;
}

function bytesList(reader: WireReader, end: number): Uint8Array[] {
  const list: Uint8Array[] = [];
  while (reader.fieldOf(ONLY, end)) list.push(reader.view());
  return list;
}

/** Written packed, or one by one by old programs; a reader takes either, and both at once. */
function floatList(reader: WireReader, end: number): Float32Array {
  const list: number[] = [];
  while (reader.fieldOf(ONLY, end)) {
    if (reader.isPacked) {
      const packedEnd = reader.message();
      if (packedEnd === end && list.length === 0) return reader.floats(packedEnd);
      while (reader.at < packedEnd) list.push(reader.float());
    } else {
      list.push(reader.singleFloat());
    }
  }
  return Float32Array.from(list);
}

function int64List(reader: WireReader, end: number): number[] | bigint[] {
  const start = reader.at;
  reader.rounded = false;
  const list: number[] = [];
  while (reader.fieldOf(ONLY, end)) {
    if (reader.isPacked) reader.int64s(reader.message(), list);
    else list.push(reader.singleInt64());
  }
  if (!reader.rounded) return list;
  reader.at = start;
  const large: bigint[] = [];
  while (reader.fieldOf(ONLY, end)) {
    if (reader.isPacked) reader.bigInt64s(reader.message(), large);
    else large.push(reader.bigInt64());
  }
  return large;
}
