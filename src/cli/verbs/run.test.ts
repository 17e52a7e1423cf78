import { describe, expect, test } from 'vitest';
import { VenturiError } from '../../model/errors.ts';
import { imagesInfo } from '../../report/results/run-info.fixture.ts';
import type { RunResult } from '../../report/results/run-result.ts';
import type { RunRequest } from '../../workflow/index.ts';
import { FakeContext } from '../fake-context.fixture.ts';
import { runVerb } from './run.ts';

const result: RunResult = {
  schemaVersion: 1,
  status: 'completed',
  ends: [],
  elements: 200,
  bytes: 30e6,
  seconds: 3.2,
  elementsPerSecond: 62.5,
  recording: undefined,
  warnings: [],
  random: [],
};
const flags = {};
const runInfo = async () => imagesInfo;
const graph = imagesInfo.manifest.graph ?? { operators: [], channels: [], stages: [], fingerprint: '' };

/** A pipeline that goes on until it is asked to stop. */
const endless =
  (end: (request: RunRequest) => RunResult | VenturiError) =>
  (request: RunRequest): Promise<RunResult> =>
    new Promise((resolve, reject) => {
      request.signal?.addEventListener('abort', () => {
        const ended = end(request);
        if (ended instanceof VenturiError) reject(ended);
        else resolve(ended);
      });
    });

test('hands its flags to the workflow', async () => {
  const requests: RunRequest[] = [];
  const runPipeline = async (request: RunRequest): Promise<RunResult> => {
    requests.push(request);
    return result;
  };
  const given = {
    set: ['decode.parallelism=4'],
    param: ['k=v'],
    record: 'a',
    recordLimit: 5,
    redact: true,
    epochs: 2,
    for: 10,
    memory: 7,
    seed: 0,
    inline: true,
    checkpoint: 'c.json',
    every: 5,
    resume: 'b.json',
  };
  await runVerb('x.ts', given, new FakeContext(), { runPipeline, runInfo });
  expect(requests).toMatchObject([
    {
      pipeline: 'x.ts',
      set: ['decode.parallelism=4'],
      params: ['k=v'],
      record: 'a',
      maxRecordBytes: 5,
      redact: true,
      epochs: 2,
      forSeconds: 10,
      memory: 7,
      seed: 0,
      inline: true,
      checkpoint: 'c.json',
      everySeconds: 5,
      resume: 'b.json',
    },
  ]);
});

describe('what it says', () => {
  test('talk goes to stderr; without a recording there is no data', async () => {
    const context = new FakeContext();
    const runPipeline = async (request: RunRequest): Promise<RunResult> => {
      request.onStart?.({ graph, recording: undefined });
      request.onWarning?.({ code: 'VENTURI_WARN_RUN', message: 'slow \x1b[31mdisk' });
      return result;
    };
    expect(await runVerb('x.ts', flags, context, { runPipeline, runInfo })).toBe(0);
    expect(context.stdout).toBe('');
    expect(context.stderr).toMatchInlineSnapshot(`
      "running x.ts: 4 operators in 2 stages
      warning: slow disk
      completed: 200 elements, 30.0 MB in 3.2 s, 62.5/s
      "
    `);
  });

  test('a recorded run ends with its headline and operators, and where to look further', async () => {
    const context = new FakeContext();
    const runPipeline = async (): Promise<RunResult> => ({ ...result, recording: "my runs/it's.venturi" });
    await runVerb('x.ts', { ...flags, record: 'r' }, context, { runPipeline, runInfo });
    expect(context.stdout).toMatch(/^images: 200 elements .*\n[\s\S]*decode/);
    expect(context.stderr).toContain(`venturi diagnose 'my runs/it'\\''s.venturi'`);
  });

  test('with --json the result and nothing else is on stdout', async () => {
    const context = new FakeContext();
    const runPipeline = async (): Promise<RunResult> => ({ ...result, recording: 'r.venturi' });
    await runVerb('x.ts', { ...flags, json: true }, context, { runPipeline, runInfo });
    expect(JSON.parse(context.stdout)).toEqual({ ...result, recording: 'r.venturi' });
  });

  test('a run that was saved before its end says how to go on', async () => {
    const context = new FakeContext();
    const runPipeline = async (): Promise<RunResult> => ({ ...result, status: 'stopped' });
    await runVerb('x.ts', { checkpoint: 'my run.json' }, context, { runPipeline, runInfo });
    expect(context.stderr).toContain(`to go on from here: venturi run x.ts --resume 'my run.json'`);
  });

  test('a run that was told to stop after a while is a success', async () => {
    const runPipeline = async (): Promise<RunResult> => ({ ...result, status: 'stopped' });
    expect(await runVerb('x.ts', flags, new FakeContext(), { runPipeline, runInfo })).toBe(0);
  });
});

describe('Ctrl-C', () => {
  test('stops in good order, keeps the recording and exits 130', async () => {
    const context = new FakeContext();
    const runPipeline = endless(() => ({ ...result, status: 'interrupted', recording: 'r.venturi' }));
    const done = runVerb('x.ts', flags, context, { runPipeline, runInfo });
    context.send('SIGINT');
    expect(await done).toBe(130);
    expect(context.stderr).toContain('stopping… (press Ctrl-C again to quit at once)');
    expect(context.stderr).toContain('recorded in r.venturi');
    expect(context.left).toEqual([]);
    expect(context.listeners).toBe(0);
  });

  test('SIGTERM exits 143, whether the run ends with a result or an error', async () => {
    const outcomes = [{ ...result, status: 'stopped' as const }, new VenturiError('VENTURI_INTERRUPTED', 'Stopped.')];
    for (const outcome of outcomes) {
      const context = new FakeContext();
      const done = runVerb('x.ts', flags, context, { runPipeline: endless(() => outcome), runInfo });
      context.send('SIGTERM');
      expect(await done).toBe(143);
    }
  });

  test('the second one leaves at once, with the cursor back', () => {
    const context = new FakeContext({ isLive: true });
    const runPipeline = (request: RunRequest): Promise<RunResult> => {
      request.onProgress?.({
        seconds: 1,
        elements: 1,
        elementsPerSecond: 1,
        bytesPerSecond: 1,
        coresBusy: 1,
        coresUsable: 2,
        done: undefined,
        etaSeconds: undefined,
      });
      return new Promise(() => {});
    };
    void runVerb('x.ts', flags, context, { runPipeline, runInfo });
    context.send('SIGINT');
    context.send('SIGINT');
    expect(context.left).toEqual([130]);
    expect(context.stderr.lastIndexOf('\x1b[?25h')).toBeGreaterThan(context.stderr.lastIndexOf('\x1b[?25l'));
  });
});

test('a failure passes through and leaves no listener behind', async () => {
  const context = new FakeContext();
  const failure = new VenturiError('VENTURI_USER_FUNCTION', 'decode threw');
  const runPipeline = (): Promise<RunResult> => Promise.reject(failure);
  await expect(runVerb('x.ts', flags, context, { runPipeline, runInfo })).rejects.toBe(failure);
  expect(context.listeners).toBe(0);
});
