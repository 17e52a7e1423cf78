import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { PerfEntry } from '../model/profile.ts';
import type { Warning } from '../model/warnings.ts';
import { readPerf } from './perf-reader.ts';
import { PERF_SAMPLES } from './profile-files.ts';
import { temporaryFolder } from './run.fixture.ts';

const FACTS: PerfEntry = { perf: { profiler: 'perf', events: ['cpu-clock'], frequency: 999 } };
const PIECES: PerfEntry[] = [
  {
    ...{ tid: 7, frames: [[1, 0, 'slice', 'venturi:s.0', 16777216, 0]] },
    ...{ natives: [['memmove', 'libc.so.6']], samples: [[1000, 1, 16777217, 0, 0, 5, 0]] },
  },
  { tid: 8, frames: [], natives: [], samples: [[1500, 0, 0, -1, 0, 5, 0]] },
  { tid: 7, frames: [], natives: [['memset', 'libc.so.6']], samples: [[2000, 1, 0, 1, 0, 6, 4096]] },
];

function read(...lines: readonly string[]): [ReturnType<typeof readPerf>, string[]] {
  const folder = temporaryFolder();
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, PERF_SAMPLES), lines.map(line => `${line}\n`).join(''));
  const problems: Warning[] = [];
  return [readPerf(folder, problems), problems.map(({ code, message }) => `${code} ${message}`)];
}

const texts = [FACTS, ...PIECES].map(entry => JSON.stringify(entry));

test('puts the pieces of each thread together', () => {
  const [perf, problems] = read(...texts);
  expect(problems).toEqual([]);
  expect(perf?.facts).toEqual('perf' in FACTS ? FACTS.perf : undefined);
  expect(perf?.streams.map(({ tid }) => tid)).toEqual([7, 8]);
  expect(perf?.streams[0]).toMatchObject({
    frames: new Map([[1, [1, 0, 'slice', 'venturi:s.0', 16777216, 0]]]),
    natives: [
      ['memmove', 'libc.so.6'],
      ['memset', 'libc.so.6'],
    ],
    times: [1000, 2000],
    nodes: [1, 1],
    lines: [16777217, 0],
    native: [0, 1],
    event: [0, 0],
    weight: [5, 6],
    address: [0, 4096],
  });
});

test('a piece that is damaged is left out, and told', () => {
  for (const damaged of ['{"tid":7,"frames":[', '{"tid":7}', '[]', 'null']) {
    const [perf, problems] = read(...texts.slice(0, 3), damaged);
    expect(
      perf?.streams.map(({ times }) => times.length),
      damaged,
    ).toEqual([1, 1]);
    expect(problems).toEqual([expect.stringMatching(/^VENTURI_WARN_PROFILE_DAMAGED 1 of 4 pieces of perf's samples/)]);
  }
});

test('without its beginning nothing is known of it', () => {
  const [perf, problems] = read(...texts.slice(1));
  expect(perf).toBeUndefined();
  expect(problems).toEqual([expect.stringContaining("The beginning of perf's samples")]);
});

test('a run without perf has none, and nothing is wrong with that', () => {
  const problems: Warning[] = [];
  expect([readPerf(temporaryFolder(), problems), problems]).toEqual([undefined, []]);
});
