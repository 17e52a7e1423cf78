import { WireReader } from '../../../io/formats/wire-reader.ts';
import {
  type Draft,
  draftOf,
  type Field,
  type Message,
  MessageCount,
  type MessageType,
  put,
  submessage,
} from './message.ts';

/** A message in the binary encoding. What is none throws VENTURI_BAD_RECORD; `what` is its name there. */
export function wireMessage<M extends MessageType>(
  type: M,
  bytes: Uint8Array,
  what: string,
  count = new MessageCount(),
): Message<M> {
  const draft = draftOf(type);
  read(new WireReader(bytes, what), bytes.length, type, draft, count);
  return draft as Message<M>;
}

/** Messages one after the other, each behind its length. */
export function* wireMessages<M extends MessageType>(
  type: M,
  bytes: Uint8Array,
  what: string,
): Generator<Message<M>, void, undefined> {
  const reader = new WireReader(bytes, what);
  const count = new MessageCount();
  while (reader.at < bytes.length) {
    count.add();
    const draft = draftOf(type);
    read(reader, reader.delimited(), type, draft, count);
    yield draft as Message<M>;
  }
}

function read(reader: WireReader, end: number, type: MessageType, into: Draft, count: MessageCount): void {
  const byNumber = fieldsOf(type);
  while (reader.field(end)) {
    const known = byNumber.get(reader.number);
    if (known === undefined) reader.skip();
    else value(reader, known.name, known.field, into, count);
  }
}

function value(reader: WireReader, name: string, field: Field, into: Draft, count: MessageCount): void {
  const { type } = field;
  if (type === 'text') put(into, name, field, reader.text());
  else if (typeof type !== 'string')
    read(reader, reader.message(), type, submessage(into, name, field, type, count), count);
  else {
    const isWide = type === 'bigint';
    if (!field.isRepeated || !reader.isPacked) {
      put(into, name, field, isWide ? reader.singleBigInt64() : reader.singleInt64());
      return;
    }
    const end = reader.message();
    while (reader.at < end) put(into, name, field, isWide ? reader.bigInt64() : reader.int64());
  }
}

interface NamedField {
  readonly name: string;
  readonly field: Field;
}

const tables = new WeakMap<MessageType, ReadonlyMap<number, NamedField>>();

function fieldsOf(type: MessageType): ReadonlyMap<number, NamedField> {
  const known = tables.get(type);
  if (known !== undefined) return known;
  const table = new Map(Object.entries(type).map(([name, field]) => [field.number, { name, field }]));
  tables.set(type, table);
  return table;
}
