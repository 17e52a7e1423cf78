/**
 * The fields of a protobuf message that are read; all others are skipped. One description serves the binary encoding, which knows fields by
 * their number, and the text, which knows them by name. `bigint`: a 64-bit number that a double may not hold.
 */
export type MessageType = { readonly [name: string]: Field };

type FieldType = 'text' | 'integer' | 'bigint' | MessageType;

export interface Field {
  readonly number: number;
  readonly type: FieldType;
  readonly isRepeated: boolean;
}

export const one = <const T extends FieldType>(number: number, type: T) =>
  ({ number, type, isRepeated: false }) as const;
export const many = <const T extends FieldType>(number: number, type: T) =>
  ({ number, type, isRepeated: true }) as const;

type Value<T> = T extends 'text'
  ? string
  : T extends 'integer'
    ? number
    : T extends 'bigint'
      ? bigint
      : T extends MessageType
        ? Message<T>
        : never;

/** A message that was read. Fields it lacks are undefined: protobuf leaves out zeros and empty texts. */
export type Message<M extends MessageType> = {
  -readonly [K in keyof M]: M[K] extends { type: infer T; isRepeated: infer R }
    ? R extends true
      ? Value<T>[]
      : Value<T> | undefined
    : never;
};

/** Messages in one file, so that a few bytes each cannot fill the memory. A step of a hundred thousand nodes has about a million. */
const MOST_MESSAGES = 5_000_000;

/** Counts the messages of a file. */
export class MessageCount {
  readonly #most: number;
  #count = 0;

  constructor(most = MOST_MESSAGES) {
    this.#most = most;
  }

  add(): void {
    if (++this.#count > this.#most) throw new RangeError(`more than ${this.#most} messages are in it`);
  }
}

/** A message before its fields are read: what both readers fill. */
export type Draft = Record<string, unknown>;

export function draftOf(type: MessageType): Draft {
  const draft: Draft = {};
  for (const name in type) draft[name] = type[name]?.isRepeated ? [] : undefined;
  return draft;
}

/** Puts a value into its field; the last of a field that is not repeated counts. */
export function put(draft: Draft, name: string, field: Field, value: unknown): void {
  if (field.isRepeated) (draft[name] as unknown[]).push(value);
  else draft[name] = value;
}

/** The message that a field's fields go into: a new one, or the one that is there, since protobuf merges those. */
export function submessage(draft: Draft, name: string, field: Field, type: MessageType, count: MessageCount): Draft {
  const merged = field.isRepeated ? undefined : (draft[name] as Draft | undefined);
  if (merged !== undefined) return merged;
  count.add();
  const message = draftOf(type);
  put(draft, name, field, message);
  return message;
}
