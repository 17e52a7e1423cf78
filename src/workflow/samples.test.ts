import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { withTraits } from '../model/kind-traits.ts';
import { openLane } from '../store/lane-writer.ts';
import { newRun, START, temporaryFolder } from '../store/run.fixture.ts';
import { runSamples } from './samples.ts';

const SECOND = 1e9;

/** A thread that worked from second 1 to 2 as `decode`; the code of it stands in a file. */
function run(): { readonly folder: string; file(name: string, text: string): string } {
  const folder = temporaryFolder();
  const operator = { kind: 'transform', inputs: [], settings: {}, sequential: false };
  const graph = {
    operators: [withTraits({ ...operator, id: 'decode', label: 'decode', location: '/home/me/train.py:10' })],
    channels: [],
    stages: [],
    fingerprint: '',
  };
  const written = newRun(folder, { graph });
  const lane = openLane(written.folder, { name: 'worker', pid: 10, tid: 3 });
  lane.span(lane.subjectNumber('operator:decode'), 0, START + SECOND, SECOND);
  lane.close(START + 3 * SECOND);
  written.finish({ status: 'completed', endedAt: '', monotonic: String(START + 3 * SECOND), warnings: [] });
  return {
    folder: written.folder,
    file: (name, text) => {
      writeFileSync(join(folder, name), text);
      return join(folder, name);
    },
  };
}

const seconds = (at: number): string => `${START / SECOND + at}.500000000`;

test('samples come from what perf script printed', async () => {
  const { folder, file } = run();
  const line = (tid: number, at: number): string => `10/${tid} ${seconds(at)}: 1001001 cpu-clock: 7f00 f (/lib/a.so)\n`;
  const path = file('perf.txt', `# a comment\n${line(3, 0)}${line(3, 1)}${line(4, 1)}${line(3, 2)}`);
  const { samples } = await runSamples(folder, { file: path });
  expect(samples.operators).toMatchObject([{ operator: 'decode', hits: 1 }]);
  expect(samples.unattributed.map(({ reason, hits }) => [reason, hits])).toEqual([
    ['before', 1],
    ['after', 1],
    ['otherThread', 1],
  ]);
});

test('samples come from a profile of V8', async () => {
  const { folder, file } = run();
  const profile = {
    nodes: [{ id: 1, callFrame: { functionName: 'f', url: '', lineNumber: 0 } }],
    startTime: START / 1000 + 1_400_000,
    samples: [1, 1],
    timeDeltas: [100_000, 900_000],
  };
  const path = file('CPU.20260101.000000.10.3.001.cpuprofile', JSON.stringify(profile));
  const { samples } = await runSamples(folder, { file: path });
  expect(samples).toMatchObject({ profiler: 'v8', hits: 2, operators: [{ operator: 'decode', hits: 1, cpu: 1e8 }] });
});

test('samples come from py-spy, by their stacks', async () => {
  const { folder, file } = run();
  const raw = file(
    'raw.txt',
    'main (/home/me/train.py:90);__call__ (/home/me/train.py:14) 5\nmain (/home/me/x.py:3) 2\n',
  );
  const { samples } = await runSamples(folder, { file: raw });
  expect(samples.operators).toMatchObject([{ operator: 'decode', hits: 5 }]);
  expect(samples.unattributed).toMatchObject([{ reason: 'noOperatorFrame', hits: 2 }]);
});

test('what is none of these is refused, and so is a run without samples', async () => {
  const { folder, file } = run();
  const refused = { code: 'VENTURI_SAMPLES_UNREADABLE' };
  await expect(runSamples(folder, { file: file('x.txt', 'hello\nworld\n') })).rejects.toMatchObject(refused);
  await expect(runSamples(folder, { file: '/nonexistent' })).rejects.toMatchObject(refused);
  await expect(runSamples(folder)).rejects.toMatchObject({ code: 'VENTURI_RUN_EMPTY' });
});
