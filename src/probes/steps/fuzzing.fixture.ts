import type { Field, Message, MessageType } from './protobuf/message.ts';

/** Random numbers that a seed gives again: mulberry32. */
export class Dice {
  #state: number;

  constructor(seed: number) {
    this.#state = seed;
  }

  /** 0 up to, not with, `limit`. */
  below(limit: number): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * limit);
  }

  of<T>(list: readonly T[]): T {
    return list[this.below(list.length)] as T;
  }
}

/** One to four, seldom many: most files with several faults are refused for the first. */
const editCount = (dice: Dice): number => 1 + dice.below(1 + dice.below(4));

/** Bytes that mean something to the formats: ends of numbers, brackets, lengths, tags. */
const TELLING = Buffer.from('\x00\x01\x08\x0a\x12\x1a\x2f\x3a\x7f\x80\xff{}[]<>":,\\#-0 9e.\n', 'latin1');

/** Edits of bytes: changed, taken out, doubled, moved or cut off. */
export function mutatedBytes(dice: Dice, seed: Uint8Array): Uint8Array {
  let bytes = Buffer.from(seed);
  for (let edits = editCount(dice); edits > 0; edits--) {
    const at = dice.below(bytes.length + 1);
    const end = Math.min(bytes.length, at + 1 + dice.below(16));
    const [head, piece, tail] = [bytes.subarray(0, at), bytes.subarray(at, end), bytes.subarray(end)];
    switch (dice.below(6)) {
      case 0:
        bytes = Buffer.concat([head, Buffer.of(dice.of([...TELLING])), bytes.subarray(at + 1)]);
        break;
      case 1:
        bytes = Buffer.concat([head, tail]);
        break;
      case 2:
        bytes = Buffer.concat([head, piece, piece, tail]);
        break;
      case 3:
        bytes = Buffer.concat([piece, head, tail]);
        break;
      case 4:
        bytes = Buffer.concat([head, Buffer.of(dice.of([...TELLING]), dice.below(256)), bytes.subarray(at)]);
        break;
      default:
        if (dice.below(4) === 0) bytes = Buffer.from(head);
        else bytes[at] = (bytes[at] ?? 0) ^ (1 << dice.below(8));
    }
  }
  return bytes;
}

const ODD: readonly unknown[] = [
  null,
  true,
  -1,
  0,
  0.5,
  1,
  2,
  1e15,
  -1e15,
  Number.MAX_SAFE_INTEGER,
  1e308,
  '',
  '9223372036854775807',
  '__proto__',
  'constructor',
  [],
  {},
  [[[]]],
];

/** Edits of a document: values replaced, taken out, doubled, or put in another's place. */
export function mutatedJson(dice: Dice, seed: string): Uint8Array {
  const root = { document: JSON.parse(seed) as unknown };
  for (let edits = editCount(dice); edits > 0; edits--) {
    const places = placesIn(root);
    if (places.length === 0) break;
    const { holder, key } = dice.of(places);
    if (Array.isArray(holder)) {
      if (dice.below(3) === 0) holder.splice(Number(key), dice.below(2), dice.of(holder));
      else holder[Number(key)] = odd(dice, places);
    } else if (dice.below(4) === 0) delete holder[key];
    else holder[key] = odd(dice, places);
  }
  return Buffer.from(JSON.stringify(root.document) ?? '');
}

interface Place {
  readonly holder: unknown[] | Record<string, unknown>;
  readonly key: string;
}

function odd(dice: Dice, places: readonly Place[]): unknown {
  if (dice.below(3) > 0) return structuredClone(dice.of(ODD));
  const { holder, key } = dice.of(places);
  return structuredClone((holder as Record<string, unknown>)[key]);
}

const ODD_TEXTS = [
  '',
  '/',
  '__proto__',
  'RecvTensor',
  '_SOURCE',
  'a = b(',
  ' from  to ',
  '[1MB] a from b to c',
  '^x:0',
  'x_S1',
  'edge_1_',
  '\x00',
];
const ODD_NUMBERS = [0n, 1n, -1n, 127n, 128n, 2n ** 31n, 2n ** 53n, 2n ** 63n - 1n, -(2n ** 63n)];

/** Edits of a protobuf message that leave it one: other texts and numbers, messages doubled, left out or put in another's place. */
export function mutatedMessage<M extends MessageType>(dice: Dice, type: M, seed: Message<M>): Message<M> {
  const message = structuredClone(seed);
  for (let edits = editCount(dice); edits > 0; edits--) {
    const { holder, name, field } = dice.of(fieldsIn(type, message));
    if (field.isRepeated) {
      const list = holder[name] as unknown[];
      const at = dice.below(list.length + 1);
      if (dice.below(2) === 0) list.splice(at, 1);
      else if (list.length > 0) list.splice(at, 0, structuredClone(dice.of(list)));
    } else if (field.type === 'text') holder[name] = dice.of(ODD_TEXTS);
    else if (field.type === 'bigint') holder[name] = dice.of(ODD_NUMBERS);
    else if (field.type === 'integer') holder[name] = Number(dice.of(ODD_NUMBERS));
    else holder[name] = undefined;
  }
  return message;
}

interface FieldPlace {
  readonly holder: Record<string, unknown>;
  readonly name: string;
  readonly field: Field;
}

function fieldsIn(type: MessageType, message: Record<string, unknown>): FieldPlace[] {
  return Object.entries(type).flatMap(([name, field]) => {
    const value = message[name];
    const { type: inner } = field;
    const messages = typeof inner === 'string' || value === undefined ? [] : [value].flat();
    const within = messages.flatMap(each => fieldsIn(inner as MessageType, each as Record<string, unknown>));
    return [{ holder: message, name, field }, ...within];
  });
}

/** Every place of a value in a document. */
function placesIn(root: Record<string, unknown>): Place[] {
  const places: Place[] = [];
  const left: (unknown[] | Record<string, unknown>)[] = [root];
  for (let holder = left.pop(); holder !== undefined; holder = left.pop()) {
    for (const [key, value] of Object.entries(holder)) {
      places.push({ holder, key });
      if (typeof value === 'object' && value !== null) left.push(value as Record<string, unknown>);
    }
  }
  return places;
}
