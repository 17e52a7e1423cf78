import { ProtobufWriter } from '../protobuf.ts';
import { Names, type ProfileStacks } from './stacks.ts';

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
  const profile = new ProtobufWriter(utf8);
  const valueType = (field: number, type: string, unit: string): ProtobufWriter =>
    profile.message(field, () => profile.number(1, strings.of(type)).number(2, strings.of(unit)));
  valueType(1, 'samples', 'count');
  valueType(1, 'cpu', 'nanoseconds');
  for (const { stack, lane, count } of counts.values()) {
    // Innermost first; numbers of locations begin at 1.
    const locations = stack.toReversed().map(name => functions.of(name) + 1);
    profile.message(2, () =>
      profile
        .packed(1, locations)
        .packed(2, [count, count * nsPerSample])
        .message(3, () => profile.number(1, strings.of('lane')).number(2, strings.of(lane))),
    );
  }
  for (const [at] of functions.list.entries()) {
    profile.message(4, () => profile.number(1, at + 1).message(4, () => profile.number(1, at + 1)));
  }
  for (const [at, name] of functions.list.entries()) {
    profile.message(5, () => profile.number(1, at + 1).number(2, strings.of(name)));
  }
  valueType(11, 'cpu', 'nanoseconds').number(12, nsPerSample);
  for (const text of strings.list) profile.text(6, text);
  return profile.take();
}
