import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { FakeContext } from '../src/cli/fake-context.fixture.ts';
import { runProgram } from '../src/cli/program.ts';
import { machineOf } from '../src/model/host.ts';
import { share } from '../src/model/units.ts';
import type { Diagnosis } from '../src/report/results/diagnosis.ts';
import type { TuneResult } from '../src/report/results/tuning.ts';
import type { Report } from '../src/report/tree.ts';
import { newRun, temporaryFolder } from '../src/store/run.fixture.ts';
import { openRun } from '../src/store/run-reader.ts';
import { PLAIN } from '../src/workflow/inspect.ts';
import { headingOf, problemsOf } from '../src/workflow/run-heading.ts';
import { TARGETS } from '../src/workflow/targets/registry.ts';
import type { Target } from '../src/workflow/targets/target.ts';

const line = (text: string): Report => [{ type: 'verdict', text }];

function diagnosisOf(path: string): Diagnosis {
  const run = openRun(path);
  return {
    ...headingOf(run),
    seconds: 1,
    command: run.manifest.command,
    verdict: {
      kind: 'unclear',
      limits: true,
      cause: { type: 'software' },
      operators: [],
      figures: { nearest: 'toy', busy: share(0.5) },
      fix: { type: 'advice' },
      gain: undefined,
      doubts: [],
    },
    others: [],
    problems: problemsOf(run),
  };
}

const isToy = ([program]: readonly string[]): boolean => program === 'toy';

const noPage = (): never => {
  throw new Error('a toy has no page');
};

/** A target that nothing but this test knows of. */
const toy: Target = {
  id: 'toy',
  inFolder: 'diagnosis',
  recognises: ({ probe }) => probe === 'toy',
  recorder: {
    starts: isToy,
    async record([, name = ''], { out = 'toys' }, attendant) {
      attendant.say(`winding up ${name}`);
      const { folder } = newRun(out, { probe: 'toy' });
      return { schemaVersion: 1, exitCode: 7, signal: undefined, recording: folder, warnings: [] };
    },
  },
  tuner: {
    starts: isToy,
    subject: 'a toy',
    naming: 'Buy one.',
    takes: ['rounds'],
    async tune([, name = ''], { rounds }, attendant) {
      attendant.say(`winding up ${name}`);
      const changes = [{ action: { kind: 'wind-up', operator: name } }];
      const refused = [{ code: 'VENTURI_WARN_NOT_APPLIED', message: 'It would break.', operators: ['spring'] }];
      const result: TuneResult = {
        schemaVersion: 1,
        plan: { schemaVersion: 1, target: 'toy', changes, refused },
        unchanged: undefined,
        gained: { estimate: 2, low: 1.9, high: 2.1, confidence: 0.9 },
        coresUsable: 1,
      };
      const report = () => line(`${name} is faster`);
      return { result, report, reached: rounds !== 1, section: noPage, recording: undefined };
    },
  },
  inspector: () => ({ ...PLAIN, result: manifest => ({ ...PLAIN.result(manifest), more: { seconds: 42 } }) }),
  live: () => ({ block: () => undefined, advance: () => undefined, result: () => undefined }),
  sections: () => [],
  async judge(path) {
    const result = diagnosisOf(path);
    return {
      result,
      report: () => line('a toy is never at fault'),
      row: () => ({
        waitShare: 0.25,
        wait: 1e6,
        utilisation: 0.1,
        rate: 'a toy a day',
        limit: 'bedtime',
        cause: result.verdict.cause,
        gain: undefined,
        isWaiting: true,
      }),
    };
  },
  async forecast(path, { cores }) {
    const run = openRun(path);
    const host = machineOf(run.manifest);
    const result = { ...headingOf(run), host, whatIf: { cores }, problems: problemsOf(run), toys: cores };
    return { result, report: () => line(`${cores} toys`) };
  },
  async compare(paths) {
    const runs = paths.map(path => headingOf(openRun(path)));
    return { result: { schemaVersion: 1, runs, cautions: [] }, report: () => line(`${runs.length} toys compared`) };
  },
  compared: noPage,
};

const targets = TARGETS as Target[];
beforeEach(() => {
  targets.push(toy);
});
afterEach(() => {
  targets.splice(targets.indexOf(toy), 1);
});

async function said(...args: string[]): Promise<string> {
  const context = new FakeContext({ width: 200 });
  expect([await runProgram(args, context), context.stderr]).toEqual([0, '']);
  return context.stdout;
}

const json = async (...args: string[]): Promise<unknown> => JSON.parse(await said(...args, '--json'));

it('is all that the verbs need to know of a third kind of program', async () => {
  const folder = temporaryFolder();
  const { folder: run } = newRun(folder, { probe: 'toy' });
  expect(await said('diagnose', run)).toBe('a toy is never at fault\n');
  expect(await json('diagnose', run)).toMatchObject({ name: 'test', verdict: { kind: 'unclear' } });
  expect(await said('diagnose', folder)).toMatch(/1 of 1 run[\s\S]*test +25.0 % +1.0 ms +10.0 % +a toy a day +bedtime/);
  expect(await json('diagnose', folder)).toMatchObject({ runs: [{ folder: run, diagnosis: { name: 'test' } }] });
  expect(await said('predict', run, '--cores', '3')).toBe('3 toys\n');
  expect(await json('predict', run, '--cores', '3')).toMatchObject({ name: 'test', whatIf: { cores: 3 }, toys: 3 });
  expect(await said('compare', run, run)).toBe('2 toys compared\n');
  expect(await json('compare', run, run)).toMatchObject({ runs: [{ name: 'test' }, { name: 'test' }], cautions: [] });
  expect(await json('info', run)).toMatchObject({ seconds: 42, manifest: { probe: 'toy' } });
});

it('is recorded and tuned by the verbs as they are', async () => {
  const out = join(temporaryFolder(), 'toys');
  const context = new FakeContext({ width: 200 });
  expect(await runProgram(['record', '--out', out, '--json', '--', 'toy', 'train'], context)).toBe(7);
  const { recording } = JSON.parse(context.stdout);
  expect(context.stderr).toMatch(/^winding up train\n[\s\S]*recorded in .*venturi info/);
  expect(await json('info', recording)).toMatchObject({ manifest: { probe: 'toy' } });

  const tuned = new FakeContext();
  expect(await runProgram(['tune', '--rounds', '2', '--', 'toy', 'train'], tuned)).toBe(0);
  expect([tuned.stderr, tuned.stdout]).toEqual(['winding up train\n', 'train is faster\n']);
  const inJson = new FakeContext();
  expect(await runProgram(['tune', '--json', '--', 'toy', 'train'], inJson)).toBe(0);
  expect(JSON.parse(inJson.stdout)).toMatchObject({ plan: { target: 'toy', refused: [{ operators: ['spring'] }] } });
  expect(await runProgram(['tune', '--rounds', '1', '--', 'toy', 'train'], new FakeContext())).toBe(4);
});

it.each([
  ['--batches', '30', '--batches is for a program'],
  ['--for', '3s', '--for is for a pipeline'],
])('refuses %s, which another target takes', async (option, value, message) => {
  const context = new FakeContext();
  expect(await runProgram(['tune', option, value, '--', 'toy', 'train'], context)).toBe(2);
  expect(context.stderr).toContain(message);
});

it('does not compare what only other targets know', async () => {
  const folder = temporaryFolder();
  const { folder: run } = newRun(join(folder, 'toys'), { probe: 'toy' });
  const { folder: other } = newRun(join(folder, 'others'));
  const context = new FakeContext();
  expect(await runProgram(['compare', run, other], context)).toBe(3);
  expect(context.stderr).toMatch(/VENTURI_RUN_EMPTY/);
});
