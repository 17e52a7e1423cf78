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
import { TextReader } from './text-reader.ts';

/** A message in the text encoding (.pbtxt). What is none throws a RangeError that names the line. */
export function textMessage<M extends MessageType>(type: M, text: string, count = new MessageCount()): Message<M> {
  const draft = draftOf(type);
  read(new TextReader(text), '', type, draft, count);
  return draft as Message<M>;
}

/** Reads fields up to the bracket that closes the message; to the end of the text where it is ''. */
function read(reader: TextReader, closing: '' | '}' | '>', type: MessageType, into: Draft, count: MessageCount): void {
  for (;;) {
    const name = reader.field(closing);
    if (name === undefined) return;
    const field = Object.hasOwn(type, name) ? type[name] : undefined;
    if (field === undefined) reader.skip();
    else reader.each(() => value(reader, name, field, into, count));
  }
}

function value(reader: TextReader, name: string, field: Field, into: Draft, count: MessageCount): void {
  const { type } = field;
  if (type === 'text') put(into, name, field, reader.text());
  else if (type === 'integer') put(into, name, field, Number(reader.integer()));
  else if (type === 'bigint') put(into, name, field, reader.integer());
  else read(reader, reader.message(), type, submessage(into, name, field, type, count), count);
}
