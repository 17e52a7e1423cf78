import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, expect, it } from 'vitest';
import { EXIT } from '../../../cli/exit-codes.ts';
import { FakeContext } from '../../../cli/fake-context.fixture.ts';
import { runProgram } from '../../../cli/program.ts';
import { jobText, kinetoText, twoSteps } from '../../../probes/steps/kineto/trace.fixture.ts';

const folder = mkdtempSync(join(tmpdir(), 'venturi-steps-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function written(name: string, text: string | Uint8Array): string {
  const path = join(folder, name);
  mkdirSync(join(path, '..'), { recursive: true });
  writeFileSync(path, text);
  return path;
}

async function said(...args: string[]): Promise<string> {
  const context = new FakeContext({ width: 120 });
  expect([await runProgram(args, context), context.stderr]).toEqual([0, '']);
  return context.stdout;
}

const refused = (...args: string[]): Promise<string> => failed(EXIT.unreadableRun, args);
const misused = (...args: string[]): Promise<string> => failed(EXIT.usage, args);

async function failed(code: number, args: string[]): Promise<string> {
  const context = new FakeContext({ width: 400 });
  expect(await runProgram(args, context)).toBe(code);
  return context.stderr;
}

it('diagnoses, describes and compares traces where they lie, packed or not', async () => {
  const slow = written('slow.json', jobText({ input: 9000 }));
  const packed = written('fast.json.gz', gzipSync(jobText({ input: 500 })));
  expect(await said('diagnose', slow)).toMatch(/^Steps are limited by the input[\s\S]*Critical path[\s\S]*kernels/);
  expect(JSON.parse(await said('diagnose', slow, '--json'))).toMatchObject({
    name: 'slow.json',
    verdict: { kind: 'input-bound', gain: { factor: expect.any(Number) } },
    summary: { source: 'kineto', time: { count: 4 } },
  });
  expect(await said('info', packed)).toMatch(/4 steps[\s\S]*Steps[\s\S]*Streams[\s\S]*Launches[\s\S]*Collectives/);
  expect(JSON.parse(await said('info', packed, '--flat'))).toMatchObject({ 'step/count': 4, 'step/input_ms': 0.5 });
  expect(await said('compare', slow, packed)).toMatch(/^Steps take \d+ % less time.*\n?.*fast\.json\.gz/);
  expect(JSON.parse(await said('compare', slow, packed, '--json'))).toMatchObject({
    runs: [{ ratio: 1 }, { name: 'fast.json.gz', withinNoise: false }],
  });
});

it('takes the ranks of a folder together', async () => {
  written('job/rank1.json', jobText({ rank: 1, late: 150, ahead: 40 }));
  written('job/rank0.json.gz', gzipSync(jobText({})));
  written('job/notes.json', '{"learning rate": 0.1}');
  const job = join(folder, 'job');
  expect(await said('diagnose', job)).toMatch(/Rank 1 comes last to 100 % of collectives/);
  expect(JSON.parse(await said('info', job, '--json')).summary.ranks).toMatchObject([
    { rank: 0 },
    { rank: 1, clockOffset: 40_000 },
  ]);
  written('two/a.json', jobText({}));
  written('two/b.json', jobText({}));
  expect(await refused('diagnose', join(folder, 'two'))).toMatch(
    /VENTURI_STEPS_UNREADABLE: a.json and b.json are both of rank 0.* steps are of the same time[\s\S]*→ Give one of them/,
  );
});

it('takes the files together that a profiler wrote cycle by cycle', async () => {
  const later = 60_000_000;
  // In the order of their names the second comes first.
  written('cycles/host_7000.1000.pt.trace.json.gz', gzipSync(jobText({ steps: 3 })));
  written('cycles/host_7000.200.pt.trace.json', jobText({ steps: 2, ahead: later, input: 9000 }));
  written('cycles/host_7001.1000.pt.trace.json', jobText({ steps: 3, rank: 1 }));
  written('cycles/host_7001.200.pt.trace.json', jobText({ steps: 2, ahead: later, rank: 1, input: 9000 }));
  const cycles = join(folder, 'cycles');
  const { summary, files } = JSON.parse(await said('info', cycles, '--json'));
  expect(files).toHaveLength(4);
  expect(summary.steps.map(({ number, input }: { number: number; input: number }) => [number, input / 1e6])).toEqual([
    ...[10, 11, 12].map(number => [number, 1]),
    ...[13, 14].map(number => [number, 9]),
  ]);
  expect(summary.ranks.map(({ rank }: { rank: number }) => rank)).toEqual([0, 1]);
  expect(await said('diagnose', cycles)).toMatch(/5 steps[\s\S]*4 of 4 files of one rank: taken together/);
  const { profiled } = JSON.parse(
    await said('predict', cycles, '--replicas', '1,2', '--bandwidth', '10Gbit', '--steps', '20', '--json'),
  );
  expect(profiled.steps).toBe(5);
});

it.each([
  ['process', (text: string) => text.replaceAll('"pid":7000', '"pid":7002'), /of different processes, 7000 and 7002/],
  ['size', (text: string) => text.replace('"world_size":2', '"world_size":4'), /of jobs of different sizes/],
  ['device', (text: string) => text.replace('"name":"GPU"', '"name":"another"'), /of different devices/],
])('does not take files of another %s together', async (what, change, why) => {
  written(`other-${what}/a.json`, jobText({}));
  written(`other-${what}/b.json`, change(jobText({ ahead: 60_000_000 })));
  expect(await refused('diagnose', join(folder, `other-${what}`))).toMatch(why);
});

it('takes the files of the steps of one run together', async () => {
  for (const step of ['step-0.pb', 'step-1.pb']) {
    const recorded = new URL(`../../../probes/steps/tensorflow/golden/${step}`, import.meta.url);
    written(`tensorflow/${step}`, readFileSync(recorded));
  }
  const { summary } = JSON.parse(await said('info', join(folder, 'tensorflow'), '--json'));
  expect(summary).toMatchObject({ source: 'tensorflow', time: { count: 2 }, ranks: [{ rank: 0 }] });
  expect(await said('diagnose', join(folder, 'tensorflow'))).toMatch(/2 steps/);
  const info = await said('info', join(folder, 'tensorflow'));
  expect(info).toMatch(/Transfers[\s\S]*RecvTensor/);
  expect(info).not.toMatch(/parallelism/);
});

it('takes an execution trace beside the profiler’s', async () => {
  const nodes = [{ id: 2, name: 'aten::mm', ctrl_deps: 1, attrs: [] }];
  const executionTrace = JSON.stringify({ schema: '1.1.1', nodes }).slice(0, -1);
  written('both/trace.json', kinetoText(twoSteps));
  written('both/et.json', executionTrace);
  expect(await said('info', join(folder, 'both'))).toMatch(/operators that the execution trace does not have/);
  written('both/et2.json', executionTrace);
  expect(await refused('info', join(folder, 'both'))).toMatch(
    /2 execution traces of PyTorch and 1 traces of its profiler, and their processes do not tell/,
  );
  expect(await refused('info', written('alone.json', executionTrace))).toMatch(
    /VENTURI_STEPS_NONE: .* which has no times/,
  );
});

it('takes another mark for a step', async () => {
  const named = twoSteps.map(event => ({ ...event, name: event.name.replace('ProfilerStep#', 'iteration ') }));
  const path = written('named.json', kinetoText(named));
  for (const verb of ['info', 'diagnose']) {
    expect((await said(verb, path)).replaceAll(/\s+/g, ' ')).toMatch(
      /named\.json has no marks of steps.*: all of it, 2\.0 ms, is taken as one step.*--step-marker NAME .* those that recur: iteration\./,
    );
  }
  expect(JSON.parse(await said('info', path, '--json')).problems).toMatchObject([
    { code: 'VENTURI_WARN_STEPS_UNMARKED', message: expect.stringMatching(/those that recur: iteration\.$/) },
  ]);
  expect(await said('compare', path, path)).toMatch(/named\.json has no marks of steps/);
  for (const verb of ['info', 'diagnose'])
    expect(await said(verb, path, '--step-marker', 'iteration')).toMatch(/2 steps/);
  expect(await refused('diagnose', path, '--step-marker', 'epoch')).toMatch(
    /VENTURI_STEPS_NONE: .* no annotation epoch/,
  );
});

it('says what workers would bring, of steps that prepare their own batches', async () => {
  const alone = written('alone.json', kinetoText(twoSteps));
  expect(await said('predict', alone, '--workers', '0,2')).toMatch(
    /num_workers[\s\S]*0 \(recorded\)[\s\S]*Assumptions/,
  );
  const { recorded, forecasts } = JSON.parse(await said('predict', alone, '--workers', '0,2', '--json'));
  expect(recorded).toEqual({ steps: 2, workers: 0, step: 999_000, input: 200_000 });
  expect(forecasts.map((forecast: { workers: number }) => forecast.workers)).toEqual([0, 2]);
  const withWorkers = written('workers.json', jobText({}));
  expect(await refused('predict', withWorkers, '--workers', '2')).toMatch(
    /VENTURI_STEPS_NONE: .* with workers[\s\S]*→ Record the program and give both: [\s\S]*or profile it with num_workers=0/,
  );
});

it('joins a trace with a recording of the same job: named, or in one folder with it', async () => {
  const recordings = join(import.meta.dirname, '../../../../test/golden/recordings');
  const recording = join(recordings, 'program-workers.venturi');
  const trace = written('joined/trace.json', jobText({ kernel: 200_000 }));
  const named = JSON.parse(await said('predict', trace, '--recording', recording, '--workers', '0,8', '--json'));
  expect(named.recorded.workers).toBe(2);
  // Four kernels, a copy and what of communication no kernel hides.
  expect(named.joined).toMatchObject({ name: 'program-workers', loader: 'train_loader', copiedBytes: 4096 });
  expect(named.joined.device).toBeGreaterThan(800_000_000);
  // However fast batches come, the device takes its time.
  const { waitShare, step } = named.forecasts.at(-1);
  expect(waitShare).toBeLessThan(0.05);
  expect(step.high).toBeGreaterThan(800_000_000);

  cpSync(recording, join(folder, 'joined/job.venturi'), { recursive: true });
  const beside = JSON.parse(await said('predict', join(folder, 'joined'), '--workers', '0,8', '--json'));
  expect(beside.forecasts).toEqual(named.forecasts);
  expect(await misused('predict', trace, '--recording', recording, '--loader', 'nobody')).toMatch(
    /VENTURI_UNKNOWN_OPERATOR: This run has no loader 'nobody'/,
  );
  expect(await misused('predict', recording, '--recording', recording)).toMatch(/--recording belongs to traces/);
  cpSync(recording, join(folder, 'joined/other.venturi'), { recursive: true });
  expect(await misused('predict', join(folder, 'joined'))).toMatch(
    /holds several recordings: job.venturi, other.venturi[\s\S]*→ Say which is of the job that was profiled: --recording/,
  );
});

it.each([
  ['cut off', (text: string) => text.slice(0, -200), /ends in the middle, at byte \d+[\s\S]*→ .*copy it again/],
  ['cut off when packed', (text: string) => gzipSync(text).subarray(0, 900), /in the middle of its compressed data/],
  ['spoilt', (text: string) => text.replace('"dur":', '"dur"'), /a colon is missing, at byte \d+/],
])('refuses a trace that is %s', async (name, spoil, why) => {
  const path = written(`${name.replaceAll(' ', '-')}.json`, spoil(jobText({ steps: 60 })));
  const stderr = await refused('diagnose', path);
  expect(stderr).toMatch(/VENTURI_STEPS_UNREADABLE/);
  expect(stderr).toMatch(why);
});

it.each([
  ['garbage.json', Buffer.from('\u0001\u0002 no trace \u0003')],
  ['garbage.json.gz', gzipSync('\u0001\u0002 no trace \u0003')],
  ['of-others.json', Buffer.from('{"traceEvents": []}')],
])('says of %s where the traces are listed that are read', async (name, content) => {
  const path = written(name, content);
  for (const verb of ['info', 'diagnose', 'predict'])
    expect(await refused(verb, path)).toMatch(/VENTURI_RUN_UNREADABLE[\s\S]*→ .*docs\/steps\.md/);
});

it('cuts names that nobody would read', async () => {
  const path = written('huge.json', kinetoText([{ cat: 'cpu_op', name: 'n'.repeat(1e6), at: 0, for: 9 }]));
  for (const verb of ['info', 'diagnose']) expect((await said(verb, path)).length).toBeLessThan(5000);
});

it('prints no control characters of names', async () => {
  const evil = kinetoText([
    { cat: 'user_annotation', name: 'ProfilerStep#1', at: 0, for: 100 },
    { cat: 'cuda_runtime', name: 'launch\u001b[31m', at: 1, for: 2, args: { correlation: 1 } },
    { cat: 'kernel', name: 'evil\u001b]0;title\u0007\nkernel', at: 4, for: 90, stream: 7, args: { correlation: 1 } },
  ]);
  const path = written('evil.json', evil);
  for (const verb of ['info', 'diagnose']) {
    const text = await said(verb, path);
    expect(text).toMatch(/evil/);
    expect([...text].filter(char => char < ' ' && char !== '\n')).toEqual([]);
  }
});
