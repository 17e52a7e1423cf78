import type { MessageType } from './message.ts';

const varint = (value: bigint): number[] =>
  value < 128n ? [Number(value)] : [Number(value & 127n) | 128, ...varint(value >> 7n)];

/** A message in the binary encoding: the opposite of `wireMessage`. */
export function encoded(type: MessageType, message: Readonly<Record<string, unknown>>): Buffer {
  const parts: Uint8Array[] = [];
  for (const [name, field] of Object.entries(type)) {
    const values = field.isRepeated ? (message[name] as unknown[]) : [message[name]];
    for (const value of values) {
      if (value === undefined) continue;
      const isNumber = field.type === 'integer' || field.type === 'bigint';
      parts.push(Uint8Array.from(varint(BigInt(field.number * 8 + (isNumber ? 0 : 2)))));
      if (isNumber) parts.push(Uint8Array.from(varint(BigInt.asUintN(64, BigInt(value as number | bigint)))));
      else if (field.type === 'text') parts.push(delimited(Buffer.from(value as string)));
      else if (typeof field.type === 'object')
        parts.push(delimited(encoded(field.type, value as Record<string, unknown>)));
    }
  }
  return Buffer.concat(parts);
}

/** A message behind its length. */
export const delimited = (bytes: Uint8Array): Buffer =>
  Buffer.concat([Uint8Array.from(varint(BigInt(bytes.length))), bytes]);
