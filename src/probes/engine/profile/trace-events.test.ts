import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { WAITING_LINE } from '../../../model/line-ranges.ts';
import { FrameFiles } from './frame-files.ts';
import { type TraceEvent, TraceReader } from './trace-events.ts';

const AUTHOR = 'file:///tmp/venturi-1/pipeline.mjs';
const reader = (): TraceReader => new TraceReader(new FrameFiles(AUTHOR));

const event = (name: string, data: object, more: Partial<TraceEvent> = {}): TraceEvent => ({
  name,
  cat: 'disabled-by-default-v8.cpu_profiler',
  ph: 'P',
  tid: 11,
  ts: 100,
  id: '0x2',
  args: { data },
  ...more,
});

const node = (id: number, functionName: string, url: string, lineNumber: number) => ({
  id,
  parent: 1,
  callFrame: { functionName, url, lineNumber, columnNumber: 3 },
});

it('keeps functions, moments and lines, and no folder of the machine', () => {
  const nodes = [
    node(2, 'f', AUTHOR, 4),
    node(3, 'g', '/home/me/node_modules/@x/y/z.js', 5),
    node(4, 'h', '/home/me/u.js', 6),
  ];
  expect(
    reader().entriesOf([
      event('Profile', { startTime: 90 }),
      event('ProfileChunk', { cpuProfile: { nodes, samples: [2, 3] }, timeDeltas: [5, 6], lines: [7, 8] }),
      event('ProfileChunk', { cpuProfile: { samples: [4] }, timeDeltas: [7] }),
    ]),
  ).toEqual([
    { start: ['0x2', 11, 90] },
    {
      stream: '0x2',
      frames: [
        [2, 1, 'f', 'pipeline', 4, 3],
        [3, 1, 'g', '@x/y/z.js', 5, 3],
        [4, 1, 'h', 'u.js', 6, 3],
      ],
      samples: [2, 3],
      deltas: [5, 6],
      lines: [7, 8],
    },
    { stream: '0x2', frames: [], samples: [4], deltas: [7], lines: [0] },
  ]);
});

it('keeps when a thread compiled, once where V8 tells it twice', () => {
  const compiled = (ts: number, dur: number): TraceEvent =>
    event('V8.CompileCode', {}, { cat: 'disabled-by-default-v8.compile', ph: 'X', ts, dur });
  expect(reader().entriesOf([compiled(10, 5), compiled(11, 2), compiled(20, 1)])).toEqual([
    {
      compiling: 11,
      spans: [
        [10, 5],
        [20, 1],
      ],
    },
  ]);
});

it('marks the samples of a lane that waits, in whatever piece of the trace its function was told', () => {
  const ring = new URL('../../../engine/runtime/ring/', import.meta.url);
  const file = readdirSync(fileURLToPath(ring)).find(name => name === 'ring-end.ts') ?? '';
  const url = new URL(file, ring).href;
  const line =
    1 +
    readFileSync(fileURLToPath(url), 'utf8')
      .split('\n')
      .findIndex(text => text.includes('Atomics.wait('));
  const read = reader();
  read.entriesOf([event('ProfileChunk', { cpuProfile: { nodes: [node(2, 'waitFor', url, 3)], samples: [] } })]);
  const data = { cpuProfile: { samples: [2, 2] }, timeDeltas: [1, 1], lines: [line, line + 1] };
  expect(read.entriesOf([event('ProfileChunk', data)])).toMatchObject([{ lines: [WAITING_LINE, line + 1] }]);
});
