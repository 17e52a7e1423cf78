import { describe, expect, test } from 'vitest';
import { cpuProfileSamples } from './cpu-profile.ts';
import { parseRawLine, speedscopeStacks } from './py-spy.ts';

const frame = (functionName: string, url: string, lineNumber: number) => ({ functionName, url, lineNumber });
/** As Node 20 writes it, with the members that are not read left out. */
const PROFILE = {
  nodes: [
    { id: 1, callFrame: frame('(root)', '', -1) },
    { id: 2, callFrame: frame('collatz', 'file:///home/me/pipeline.js', 4) },
    { id: 3, callFrame: frame('(idle)', '', -1) },
    { id: 4, callFrame: frame('', 'node:internal/main', 0) },
  ],
  startTime: 26_005_444_329,
  endTime: 26_007_164_708,
  samples: [2, 3, 4, 2],
  timeDeltas: [1000, 500, 250, 1250],
};

describe('a profile of V8', () => {
  const name = 'prof/CPU.20261115.090515.19305.3.001.cpuprofile';

  test('has samples of one thread on the clock of runs; idleness is none', () => {
    const samples = [...cpuProfileSamples(JSON.stringify(PROFILE), name)];
    expect(samples).toEqual([
      {
        pid: 19305,
        tid: 3,
        time: 26_005_445_329_000,
        weight: 1_000_000,
        event: 'cpu-clock',
        symbol: 'collatz',
        module: 'pipeline.js:5',
      },
      expect.objectContaining({ time: 26_005_446_079_000, symbol: '(anonymous)', module: 'main:1' }),
      expect.objectContaining({ time: 26_005_447_329_000, weight: 1_250_000, symbol: 'collatz' }),
    ]);
  });

  test('is refused where it is cut, or does not say whose it is', () => {
    expect(() => [...cpuProfileSamples(JSON.stringify(PROFILE).slice(0, 90), name)]).toThrow('not a whole V8 profile');
    expect(() => [...cpuProfileSamples(JSON.stringify(PROFILE), 'mine.cpuprofile')]).toThrow('which thread');
  });
});

describe('stacks of py-spy', () => {
  test('are read from lines of its raw format', () => {
    expect(
      parseRawLine(
        'process 12:"python train.py";<module> (train.py:81);fetch (torch/utils/data/fetch.py:52);decode_mcu (libjpeg.so.62) 17',
      ),
    ).toEqual({
      frames: [
        { name: 'process 12:"python train.py"', file: '', line: 0 },
        { name: '<module>', file: 'train.py', line: 81 },
        { name: 'fetch', file: 'torch/utils/data/fetch.py', line: 52 },
        { name: 'decode_mcu', file: 'libjpeg.so.62', line: 0 },
      ],
      hits: 17,
    });
    for (const other of ['', 'no number', 'f (a.py:1) -3', ' 7']) expect(parseRawLine(other)).toBeUndefined();
  });

  test('are read from its speedscope format', () => {
    const file = {
      $schema: 'https://www.speedscope.app/file-format-schema.json',
      profiles: [
        { type: 'sampled', name: 'MainThread', unit: 'seconds', samples: [[0, 1], [0]], weights: [0.01, 0.01] },
      ],
      shared: { frames: [{ name: 'main', file: 'train.py', line: 60 }, { name: 'len' }] },
    };
    expect([...speedscopeStacks(JSON.stringify(file), 'p.json')]).toEqual([
      {
        frames: [
          { name: 'main', file: 'train.py', line: 60 },
          { name: 'len', file: '', line: 0 },
        ],
        hits: 1,
      },
      { frames: [{ name: 'main', file: 'train.py', line: 60 }], hits: 1 },
    ]);
    expect(() => [...speedscopeStacks('{"profiles":[]}', 'p.json')]).toThrow('not a whole speedscope file');
  });
});
