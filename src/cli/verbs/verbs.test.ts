import { describe, expect, test } from 'vitest';
import { VenturiError } from '../../model/errors.ts';
import { imagesInfo } from '../../report/results/run-info.fixture.ts';
import { twiceAsFast } from '../../report/results/tuning.fixture.ts';
import type { PipelineTuneResult } from '../../report/results/tuning.ts';
import { flatSummary } from '../../report/views/flat-summary.ts';
import { runInfoReport } from '../../report/views/run-info.ts';
import { tunePipeline } from '../../workflow/targets/engine/tuner.ts';
import type { TuneFlags } from '../../workflow/targets/target.ts';
import { FakeContext } from '../fake-context.fixture.ts';
import { demoVerb } from './demo.ts';
import { doctorVerb } from './doctor.ts';
import { infoVerb } from './info.ts';
import { tuneVerb } from './tune.ts';

describe('info', () => {
  const workflow = {
    describeRun: async () => ({
      result: imagesInfo,
      report: () => runInfoReport(imagesInfo),
      flat: () => flatSummary(imagesInfo),
    }),
  };

  test('prints the report, or the facts themselves', async () => {
    const text = new FakeContext();
    expect(await infoVerb('images', {}, text, workflow)).toBe(0);
    expect(text.stdout).toMatch(/^images: 200 elements in 3.2 s/);
    const json = new FakeContext();
    await infoVerb('images', { json: true }, json, workflow);
    expect(JSON.parse(json.stdout)).toMatchObject({ schemaVersion: 1, name: 'images', lanes: 3 });
  });

  test('prints names and numbers alone', async () => {
    const flat = new FakeContext();
    await infoVerb('images', { flat: true }, flat, workflow);
    expect(JSON.parse(flat.stdout)).toEqual(flatSummary(imagesInfo));
  });

  test('takes a pipeline for what it is', async () => {
    const refuse = () => Promise.reject(new VenturiError('VENTURI_RUN_UNREADABLE', 'x.ts looks like a text file.'));
    await expect(infoVerb('x.ts', {}, new FakeContext(), { ...workflow, describeRun: refuse })).rejects.toMatchObject({
      code: 'VENTURI_RUN_UNREADABLE',
      remedy: expect.stringContaining('venturi run x.ts --record'),
    });
    await expect(infoVerb('x.bin', {}, new FakeContext(), { ...workflow, describeRun: refuse })).rejects.toMatchObject({
      message: 'x.ts looks like a text file.',
    });
  });
});

test('doctor: something missing is an answer, not a failure', async () => {
  const { host } = imagesInfo.manifest;
  const missing = { id: 'perf', title: 'perf', status: 'missing' as const, detail: 'no such program' };
  const workflow = { doctor: async () => ({ schemaVersion: 1 as const, host, checks: [missing] }) };
  const text = new FakeContext();
  expect(await doctorVerb({}, text, workflow)).toBe(0);
  expect(text.stdout).toContain('✗ perf (missing): no such program');
  const json = new FakeContext();
  await doctorVerb({ json: true }, json, workflow);
  expect(JSON.parse(json.stdout).checks).toEqual([missing]);
});

describe('demo', () => {
  test('tells its steps on stderr and what was gained on stdout', async () => {
    const context = new FakeContext();
    const code = await demoVerb({ images: 20 }, context, {
      demo: async request => {
        request.onStep?.(`making ${request.images} images`);
        return { ...twiceAsFast, plan: 'plan.json', pipeline: 'demo.js', images: 'images', page: 'report.html' };
      },
    });
    expect(code).toBe(0);
    expect(context.stderr).toContain('making 20 images\n');
    expect(context.stdout).toMatch(/^2\.00 times as fast .*: 40\.0\/s instead of 20\.0\/s; 41\.0\/s was\s+predicted/);
    expect(context.stdout).toContain('As it was');
  });

  test('stops on Ctrl-C', async () => {
    const context = new FakeContext();
    const done = demoVerb({}, context, {
      demo: ({ signal }) =>
        new Promise((_, reject) => {
          signal?.addEventListener('abort', () => reject(new VenturiError('VENTURI_INTERRUPTED', 'Stopped.')));
        }),
    });
    context.send('SIGINT');
    expect(await done).toBe(130);
  });
});

/** `tune` with the trials of a pipeline left out. */
const tunedBy = (
  pipeline: string,
  flags: TuneFlags,
  context: FakeContext,
  trials: Parameters<typeof tunePipeline>[3],
): Promise<number> =>
  tuneVerb([pipeline], flags, context, {
    tuneCommand: (command, given, attendant) => tunePipeline(command, given, attendant, trials),
  });

describe('tune of a pipeline with effects', () => {
  const [operator] = twiceAsFast.tuning.before.graph.operators;
  const { tuning } = twiceAsFast;

  /** What is answered to the question whether trials may have effects; undefined where nobody is asked. */
  async function answered(context: FakeContext, flags: TuneFlags = {}): Promise<boolean | undefined> {
    let answer: boolean | undefined;
    await tunedBy('images.ts', flags, context, {
      tune: async request => {
        answer = await request.onSideEffects?.(operator === undefined ? [] : [operator]);
        return tuning;
      },
      savePlan: () => undefined,
    });
    return answer;
  }

  test.each([
    ['y', true],
    ['Yes', true],
    ['n', false],
    ['', false],
  ])('asks at a terminal, and takes %j as %s', async (typed, expected) => {
    const context = new FakeContext();
    context.ask = async () => typed;
    expect(await answered(context)).toBe(expected);
    expect(context.stderr).toContain(`'${operator?.id}' would`);
  });

  test('takes an interruption as no answer', async () => {
    const context = new FakeContext();
    context.ask = async () => {
      throw new Error('aborted');
    };
    expect(await answered(context)).toBe(false);
  });

  test('asks nobody where there is no terminal, or where a program reads', async () => {
    const context = new FakeContext();
    expect(await answered(context)).toBeUndefined();
    context.ask = async () => 'y';
    expect(await answered(context, { json: true })).toBeUndefined();
  });
});

describe('tune', () => {
  const { tuning } = twiceAsFast;

  test('says what was gained, how to have it, and writes the plan', async () => {
    const context = new FakeContext();
    const saved: unknown[] = [];
    const code = await tunedBy('images.ts', {}, context, {
      tune: async () => tuning,
      savePlan: (...args) => void saved.push(args),
    });
    expect(code).toBe(0);
    expect(saved).toEqual([['plan.json', tuning.plan]]);
    expect(context.stdout).toMatchInlineSnapshot(`
      "2.00 times as fast (1.90 to 2.10): 40.0/s instead of 20.0/s; 41.0/s was
      predicted
      → venturi run images.ts --plan plan.json

      Expected bottleneck: all 4 cores are busy.

      Plan  throughput with this change and those above it
        operator  change           throughput  why
        decode    - parallelism 1
                  + parallelism 4      41.0/s  its thread is saturated; cores are free

      Tried  with 90 % intervals
        plan           predicted        measured  error  gained  lanes  cores busy
        as it is                  20.0/s ± 5.0 %                     1           1
        → plan 1  41.0/s ± 5.0 %  40.0/s ± 5.0 %  2.5 %   2.00×      5         3.9
        not shown here: bottleneck
      "
    `);
  });

  test('prints a command that runs what was tuned', async () => {
    const context = new FakeContext();
    const flags = { param: ['port=18203', 'name=a b'], epochs: 3, seed: 7, out: 'my plan.json' };
    await tunedBy('en rich.ts', flags, context, { tune: async () => tuning, savePlan: () => undefined });
    const printed = context.stdout.replaceAll(/\s+/g, ' ');
    expect(printed).toContain(
      `venturi run 'en rich.ts' --param port=18203 --param 'name=a b' --epochs 3 --seed 7 --plan 'my plan.json'`,
    );
  });

  test('a target that no plan reaches is an answer, with an exit code of its own', async () => {
    const context = new FakeContext();
    const code = await tunedBy('images.ts', { target: 500 }, context, {
      tune: async () => ({ ...tuning, target: { rate: 500, reached: false } }),
      savePlan: () => undefined,
    });
    expect(code).toBe(4);
    expect(context.stdout).toMatch(
      /^No plan reaches 500\/s: at most 41\.0\/s is possible here, because all 4 cores are\s+busy/,
    );
  });

  test('where nothing is better nothing is written', async () => {
    const context = new FakeContext();
    const { changes: _, ...plan } = tuning.plan;
    const none: PipelineTuneResult = {
      ...tuning,
      plan: { ...plan, changes: [] },
      best: undefined,
      unchanged: 'nothing-tried',
      tried: [],
    };
    await tunedBy('images.ts', {}, context, {
      tune: async () => none,
      savePlan: () => expect.unreachable(),
    });
    expect(context.stdout).toMatch(
      /^Nothing to change: 20\.0\/s is as fast as any plan that was found, because all 4\s+cores/,
    );
  });

  test('a file that was named gets a plan without changes where nothing is better', async () => {
    const context = new FakeContext();
    const unchanged = { ...tuning.plan, changes: [] };
    const gained = { estimate: 1.06, low: 0.94, high: 1.19, confidence: 0.9 };
    const result: PipelineTuneResult = {
      ...tuning,
      plan: unchanged,
      best: undefined,
      unchanged: 'not-certain',
      tried: tuning.tried.map(each => ({ ...each, gained })),
    };
    const saved: unknown[] = [];
    await tunedBy('images.ts', { out: 'mine.json' }, context, {
      tune: async () => result,
      savePlan: (...both) => saved.push(both),
    });
    expect(saved).toEqual([['mine.json', unchanged]]);
    expect(context.stdout.replaceAll(/\s+/g, ' ')).toMatch(
      /^Nothing to change: 20\.0\/s is kept: 1 plan ran, and the best was 1\.06 times as fast \(0\.94 to 1\.19\), within the variation between runs/,
    );
    expect(context.stdout).not.toContain('→ venturi run');
  });

  test('what would bind a plan is no reason for leaving the pipeline as it is', async () => {
    const context = new FakeContext();
    const { changes: _, ...plan } = tuning.plan;
    await tunedBy('images.ts', {}, context, {
      tune: async () => ({ ...tuning, plan: { ...plan, changes: [] }, best: undefined, unchanged: 'not-faster' }),
      savePlan: () => expect.unreachable(),
    });
    expect(context.stdout).toMatch(
      /^Nothing to change: .* that was found: 1 plan ran, and\s+the best was 2\.00 times/m,
    );
    expect(context.stdout).not.toMatch(/cores\s+are busy/);
  });
});
