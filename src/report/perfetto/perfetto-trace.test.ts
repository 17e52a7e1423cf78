import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { SpanEvent, TraceEvent, Track } from '../trace/trace-event.ts';
import { PerfettoTrace } from './perfetto-trace.ts';

/** Fields of a message of protobuf by number: numbers, and bytes of messages and texts. */
type Fields = Map<number, (number | Uint8Array)[]>;

function fieldsOf(bytes: Uint8Array): Fields {
  const fields: Fields = new Map();
  let at = 0;
  const varint = (): number => {
    let value = 0;
    for (let scale = 1; ; scale *= 128) {
      const byte = bytes[at++] ?? 0;
      value += (byte & 127) * scale;
      if (byte < 128) return value;
    }
  };
  while (at < bytes.length) {
    const key = varint();
    const length = [0, 8][key % 8] ?? varint();
    const content = bytes.subarray(at, at + length);
    at += length;
    const isFixed = key % 8 === 1;
    const fixed = (): number => Number(new DataView(content.buffer, content.byteOffset, 8).getBigUint64(0, true));
    const value = key % 8 === 0 ? varint() : isFixed ? fixed() : content;
    const field = Math.floor(key / 8);
    fields.set(field, [...(fields.get(field) ?? []), value]);
  }
  return fields;
}

const inner = (fields: Fields, field: number): Fields[] =>
  (fields.get(field) ?? []).flatMap(value => (typeof value === 'number' ? [] : [fieldsOf(value)]));
const number = (fields: Fields | undefined, field: number): number | undefined => {
  const value = fields?.get(field)?.[0];
  return typeof value === 'number' ? value : undefined;
};
const text = (fields: Fields | undefined, field: number): string =>
  Buffer.from(fields?.get(field)?.[0] as Uint8Array).toString();

interface Slice {
  readonly track: number;
  readonly name: string;
  readonly start: number;
  readonly depth: number;
  end?: number;
  readonly flows: readonly unknown[];
}

/** Slices as Perfetto's reader makes them: packets in order of time, an end for what began last on its track. */
function slicesOf(trace: Uint8Array): Slice[] {
  const names = new Map<number, string>();
  const open = new Map<number, Slice[]>();
  const slices: Slice[] = [];
  const packets = inner(fieldsOf(trace), 1);
  for (const packet of packets) {
    for (const data of inner(packet, 12))
      for (const name of inner(data, 2)) names.set(number(name, 1) ?? 0, text(name, 2));
  }
  const timed = packets.filter(packet => packet.has(11)).sort((a, b) => (number(a, 8) ?? 0) - (number(b, 8) ?? 0));
  for (const packet of timed) {
    const [event] = inner(packet, 11);
    const track = number(event, 11) ?? 0;
    const stack = open.get(track) ?? [];
    open.set(track, stack);
    if (number(event, 9) === 2) {
      const last = stack.pop();
      if (last !== undefined) last.end = number(packet, 8) ?? 0;
    } else if (number(event, 9) === 1) {
      const flows = [...(event?.get(47) ?? []), ...(event?.get(48) ?? [])];
      const slice = {
        track,
        name: names.get(number(event, 10) ?? 0) ?? '',
        start: number(packet, 8) ?? 0,
        depth: stack.length,
        flows,
      };
      stack.push(slice);
      slices.push(slice);
    }
  }
  return slices;
}

const trace = (): PerfettoTrace => new PerfettoTrace(each => Buffer.from(each));
const TRACK: Track = { pid: 7, tid: 1 };

test('processes and tracks are described before what lies on them, and names once', () => {
  const span = (start: number): SpanEvent => ({
    type: 'span',
    track: TRACK,
    name: 'decode',
    category: 'venturi',
    start,
    duration: 5,
  });
  const events: TraceEvent[] = [
    { type: 'process', pid: 7, name: 'process 7' },
    { type: 'track', track: TRACK, name: 'lane\u001b[31m', order: 3 },
    span(10),
    span(20),
    { type: 'track', track: { pid: 7, tid: 2 }, name: 'memory', unit: 'bytes' },
  ];
  const packets = inner(fieldsOf(trace().packets(events)), 1);
  const [process, track] = packets.flatMap(packet => inner(packet, 60));
  expect([number(inner(process ?? new Map(), 3)[0], 1), text(inner(process ?? new Map(), 3)[0], 6)]).toEqual([
    7,
    'process 7',
  ]);
  expect([text(track, 2), number(track, 5), number(track, 12)]).toEqual(['lane', number(process, 1), 3]);
  expect(packets.flatMap(packet => inner(packet, 12))).toHaveLength(1);
  // The first clears what a reader knows of the sequence, all rest on it.
  expect(packets.map(packet => number(packet, 13))).toEqual([3, ...packets.slice(1).map(() => 2)]);
});

test('an arrow has one number at both of its ends', () => {
  const arrow = { pid: 20, task: 3 };
  const slices = slicesOf(
    trace().packets([
      { type: 'span', track: TRACK, name: 'prepare', start: 0, duration: 5, leaving: arrow },
      { type: 'span', track: { pid: 8, tid: 1 }, name: 'consume', start: 9, duration: 5, arriving: arrow },
    ]),
  );
  expect(slices.map(({ flows }) => flows)).toEqual([[20 * 2 ** 32 + 3], [20 * 2 ** 32 + 3]]);
});

/** Spans of one track that nest or are disjoint, with many moments the same, recorded when they end. */
const nested = (from: number, to: number, depth: number): fc.Arbitrary<SpanEvent[]> =>
  fc.array(fc.integer({ min: from, max: to }), { maxLength: 6 }).chain(moments => {
    const cuts = [...moments].sort((a, b) => a - b);
    const spans = cuts.slice(1).map((end, at): SpanEvent => {
      const start = cuts[at] ?? 0;
      return { type: 'span', track: TRACK, name: `${start}-${end}-${depth}`, start, duration: end - start };
    });
    const chosen = spans.filter((_, at) => at % 2 === 0);
    if (depth === 0 || chosen.length === 0) return fc.constant(chosen);
    return fc
      .tuple(...chosen.map(({ start, duration }) => nested(start, start + duration, depth - 1)))
      .map(inside => chosen.flatMap((span, at) => [...(inside[at] ?? []), span]));
  });

test('spans that nest come back as they were', () => {
  fc.assert(
    fc.property(nested(0, 12, 2), spans => {
      const key = ({ start, end }: { start: number; end?: number | undefined }): string => `${start} ${end}`;
      const back = slicesOf(trace().packets(spans));
      expect(back.map(key).sort()).toEqual(
        spans.map(({ start, duration }) => key({ start, end: start + duration })).sort(),
      );
      // Where a span is longer than others that begin with it, it is the outer one.
      for (const { name, start, end } of back) expect(name).toMatch(new RegExp(`^${start}-${end}-`));
    }),
  );
});
