import { type Message, many, one } from '../protobuf/message.ts';
import { wireMessages } from '../protobuf/wire-message.ts';
import { type Attributes, CHAKRA_TYPES, type ChakraNode, nodeWith } from './node.ts';

/** Numbers as in Chakra's schema/protobuf/et_def.proto. */
const ATTRIBUTE = {
  name: one(1, 'text'),
  int32_val: one(7, 'integer'),
  int64_val: one(9, 'integer'),
  uint32_val: one(11, 'integer'),
  uint64_val: one(13, 'integer'),
  bool_val: one(27, 'integer'),
  string_val: one(29, 'text'),
};

export const CHAKRA_NODE = {
  id: one(1, 'integer'),
  name: one(2, 'text'),
  type: one(3, 'integer'),
  data_deps: many(5, 'integer'),
  start_time_micros: one(6, 'integer'),
  duration_micros: one(7, 'integer'),
  attr: many(10, ATTRIBUTE),
};

/** Nodes of a trace in protobuf: messages behind their lengths, the first of which is its metadata. */
export function* chakraWireNodes(bytes: Uint8Array, what: string): Generator<ChakraNode, void, undefined> {
  const metadataEnd = firstMessageEnd(bytes);
  if (metadataEnd > bytes.length) throw new RangeError('it ends within its metadata');
  const nodes = bytes.subarray(metadataEnd);
  for (const message of wireMessages(CHAKRA_NODE, nodes, what)) {
    const { id = 0, name = '', type = 0, data_deps: waitsFor, start_time_micros: start, attr } = message;
    const duration = message.duration_micros ?? 0;
    if (duration < 0 || (start ?? 0) < 0) throw new RangeError(`node ${id} has times beyond 2^63`);
    const timed = { id, name, type: CHAKRA_TYPES[type] ?? 'INVALID', waitsFor, start, duration };
    yield nodeWith(timed, attributesOf(attr));
  }
}

/** Where the first message behind its length ends; beyond the bytes where it is not whole. */
export function firstMessageEnd(bytes: Uint8Array): number {
  let [at, length, scale] = [0, 0, 1];
  for (;;) {
    const byte = bytes[at++] ?? 0;
    length += (byte & 127) * scale;
    scale *= 128;
    // A length has 32 bits: five bytes.
    if (byte < 128 || at === 5) return at + length;
  }
}

function attributesOf(list: readonly Message<typeof ATTRIBUTE>[]): Attributes {
  const attributes = new Map<string, string | number>();
  for (const { name, ...values } of list) {
    const value = Object.values(values).find(each => each !== undefined);
    if (name !== undefined && value !== undefined) attributes.set(name, value);
  }
  return attributes;
}
