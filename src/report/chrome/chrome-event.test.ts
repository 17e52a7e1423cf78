import { describe, expect, test } from 'vitest';
import { RECORD_KIND } from '../../model/record.ts';
import type { RecordBlock } from '../../model/span.ts';
import { RunEvents } from '../trace/run-events.ts';
import { chromeEvents } from './chrome-event.ts';
import { TraceClock } from './moment.ts';

interface Row {
  readonly kind?: number;
  readonly key: string;
  readonly sequence: number;
  readonly start: number;
  readonly duration: number;
}

const subjects: string[] = [];
const numberOf = (key: string): number => {
  if (!subjects.includes(key)) subjects.push(key);
  return subjects.indexOf(key);
};

function block(index: number, pid: number, name: string, rows: readonly Row[]): RecordBlock {
  return {
    lane: { index, uuid: String(index), name, pid, tid: pid, opened: 0 },
    count: rows.length,
    kind: Uint8Array.from(rows, row => row.kind ?? RECORD_KIND.span),
    flags: new Uint8Array(rows.length),
    subject: Int32Array.from(rows, row => numberOf(row.key)),
    sequence: Uint32Array.from(rows, row => row.sequence),
    start: Float64Array.from(rows, row => row.start),
    duration: Float64Array.from(rows, row => row.duration),
  };
}

interface Event {
  readonly ph: string;
  readonly name: string;
  readonly cat?: string;
  readonly id?: string;
  readonly pid: number;
  readonly tid: number;
  readonly ts?: number;
  readonly dur?: number;
  readonly args?: { readonly name?: string };
}

const texts = (fine: boolean, clock: TraceClock, ...blocks: RecordBlock[]): string[] => {
  const trace = new RunEvents({ fine });
  return blocks.flatMap(one => trace.block(one, subjects)).flatMap(event => chromeEvents(event, clock));
};

const events = ({ fine }: { fine: boolean }, ...blocks: RecordBlock[]): Event[] =>
  texts(fine, new TraceClock(), ...blocks).map(text => JSON.parse(text));

/** Batch 7 of process 10 is task 3 of process 20. */
const CONSUMER = block(0, 10, 'main 10', [
  { key: 'dispatch:train', sequence: 7, start: 1000, duration: 100 },
  { kind: RECORD_KIND.task, key: 'dispatch:train', sequence: 7, start: 3, duration: 20 },
  { key: 'wait:train', sequence: 7, start: 2000, duration: 6000 },
  { key: 'consume:train', sequence: 7, start: 8000, duration: 1000 },
]);
const WORKER = block(1, 20, 'worker 0 20', [
  { key: 'idle', sequence: 3, start: 0, duration: 1500 },
  { key: 'operator:Images.__getitem__', sequence: 3, start: 2000, duration: 3000 },
  { kind: RECORD_KIND.inner, key: 'operator:decode', sequence: 3, start: 2100, duration: 900 },
  { key: 'prepare', sequence: 3, start: 1500, duration: 4500 },
]);

describe('a Chrome trace', () => {
  test('has batches, and operators only where it is fine', () => {
    const names = (fine: boolean): string[] =>
      events({ fine }, CONSUMER, WORKER)
        .filter(({ ph }) => ph === 'X')
        .map(({ name }) => name);
    expect(names(false)).toEqual(['wait', 'consume', 'prepare']);
    expect(names(true)).toEqual(['dispatch', 'wait', 'consume', 'Images.__getitem__', 'decode', 'prepare']);
  });

  test('draws an arrow from the end of a preparation to the beginning of its use', () => {
    for (const order of [
      [CONSUMER, WORKER],
      [WORKER, CONSUMER],
    ] as const) {
      const all = events({ fine: false }, ...order);
      const [leaves, arrives] = [all.find(({ ph }) => ph === 's'), all.find(({ ph }) => ph === 'f')];
      expect(leaves).toMatchObject({ cat: 'venturi', id: 'venturi-20-3', ts: 5.999 });
      expect(arrives).toMatchObject({ cat: 'venturi', id: 'venturi-20-3', ts: 8 });
      const spanOf = (name: string) => all.find(event => event.ph === 'X' && event.name === name);
      expect([leaves?.pid, leaves?.tid]).toEqual([spanOf('prepare')?.pid, spanOf('prepare')?.tid]);
      expect([arrives?.pid, arrives?.tid]).toEqual([spanOf('consume')?.pid, spanOf('consume')?.tid]);
    }
  });

  test('has tracks that no process, thread or device of another trace can have', () => {
    for (const { pid, tid, ph } of events({ fine: true }, CONSUMER, WORKER)) {
      expect(pid).toBeGreaterThanOrEqual(2 ** 30);
      if (ph !== 'M') expect(tid).toBeGreaterThanOrEqual(2 ** 30);
    }
  });

  test('gives each loader of a process its own track: their steps overlap by halves', () => {
    const two = block(2, 30, 'main 30', [
      { key: 'consume:a', sequence: 1, start: 0, duration: 100 },
      { key: 'consume:b', sequence: 2, start: 50, duration: 100 },
    ]);
    const spans = events({ fine: false }, two).filter(({ ph }) => ph === 'X');
    expect(new Set(spans.map(({ tid }) => tid)).size).toBe(2);
    expect(new Set(spans.map(({ pid }) => pid)).size).toBe(1);
  });

  test('keeps nanoseconds on a wall clock, and foreign names harmless', () => {
    const hostile = 'operator:"},{"ph":"X\u001b[31m\u2028<script>';
    const clock = new TraceClock(1_790_857_026_123_456_789n);
    const odd = block(3, 40, 'w', [{ key: hostile, sequence: 0, start: 1, duration: 1 }]);
    const [text = ''] = texts(true, clock, odd).filter(event => event.includes('"X"'));
    expect(text).toContain('"ts":1790857026123456.790,');
    const { name } = JSON.parse(text);
    expect(name).toBe('"},{"ph":"X<script>');
  });

  test('shows the stages of an engine run', () => {
    const engine = block(4, 50, 'decode#1', [{ key: 'stage:decode', sequence: 4, start: 10, duration: 20 }]);
    expect(events({ fine: false }, engine)).toContainEqual(
      expect.objectContaining({ ph: 'X', name: 'decode', ts: 0.01, dur: 0.02 }),
    );
  });
});

test('phases of a step that was watched have a track of their own', () => {
  const steps = block(0, 10, 'main 10', [
    { key: 'consume:train', sequence: 7, start: 8000, duration: 1000 },
    { key: 'step:train', sequence: 7, start: 8000, duration: 900 },
    { key: 'phase:forward:Net', sequence: 7, start: 8100, duration: 300 },
    { key: 'phase:backward', sequence: 7, start: 8400, duration: 400 },
  ]);
  const spans = events({ fine: false }, steps).filter(({ ph }) => ph === 'X');
  expect(spans.map(({ name }) => name)).toEqual(['consume', 'forward:Net', 'backward']);
  const [consume, forward, backward] = spans.map(({ tid }) => tid);
  expect(forward).toBe(backward);
  expect(forward).not.toBe(consume);
});
