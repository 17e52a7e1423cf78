import { Names, type ProfileStacks } from './stacks.ts';

/** Wire types of protobuf. */
const VARINT = 0;
const BYTES = 2;

/** A message of protobuf in the making: fields in the order in which they are added. */
class Message {
  readonly bytes: number[] = [];

  varint(value: number): void {
    let rest = Math.round(value);
    while (rest >= 128) {
      this.bytes.push((rest % 128) + 128);
      rest = Math.floor(rest / 128);
    }
    this.bytes.push(rest);
  }

  number(field: number, value: number): this {
    this.varint(field * 8 + VARINT);
    this.varint(value);
    return this;
  }

  content(field: number, bytes: ArrayLike<number>): this {
    this.varint(field * 8 + BYTES);
    this.varint(bytes.length);
    for (let at = 0; at < bytes.length; at++) this.bytes.push(bytes[at] ?? 0);
    return this;
  }

  packed(field: number, values: readonly number[]): this {
    const inner = new Message();
    for (const value of values) inner.varint(value);
    return this.content(field, inner.bytes);
  }
}

const valueType = (type: number, unit: number): readonly number[] =>
  new Message().number(1, type).number(2, unit).bytes;

/**
 * A profile.proto, not compressed: samples and time by stack, with the lane as a label. Fields are numbered as in
 * https://github.com/google/pprof/blob/main/proto/profile.proto.
 */
export function pprofBytes({ nsPerSample, lanes }: ProfileStacks, utf8: (text: string) => Uint8Array): Uint8Array {
  const strings = new Names();
  strings.of('');
  const functions = new Names();
  const counts = new Map<string, { readonly stack: readonly string[]; readonly lane: string; count: number }>();
  for (const { lane, samples } of lanes) {
    for (const { stack } of samples) {
      const key = JSON.stringify([lane, stack]);
      const entry = counts.get(key) ?? { stack, lane, count: 0 };
      entry.count++;
      counts.set(key, entry);
    }
  }
  const profile = new Message()
    .content(1, valueType(strings.of('samples'), strings.of('count')))
    .content(1, valueType(strings.of('cpu'), strings.of('nanoseconds')));
  for (const { stack, lane, count } of counts.values()) {
    const label = new Message().number(1, strings.of('lane')).number(2, strings.of(lane)).bytes;
    // Innermost first; numbers of locations begin at 1.
    const locations = stack.toReversed().map(name => functions.of(name) + 1);
    const sample = new Message()
      .packed(1, locations)
      .packed(2, [count, count * nsPerSample])
      .content(3, label);
    profile.content(2, sample.bytes);
  }
  for (const [at] of functions.list.entries()) {
    const line = new Message().number(1, at + 1).bytes;
    profile.content(4, new Message().number(1, at + 1).content(4, line).bytes);
  }
  for (const [at, name] of functions.list.entries()) {
    profile.content(5, new Message().number(1, at + 1).number(2, strings.of(name)).bytes);
  }
  profile.content(11, valueType(strings.of('cpu'), strings.of('nanoseconds'))).number(12, nsPerSample);
  for (const text of strings.list) profile.content(6, utf8(text));
  return Uint8Array.from(profile.bytes);
}
