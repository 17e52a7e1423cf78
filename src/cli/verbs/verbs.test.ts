import { describe, expect, test } from 'vitest';
import { VenturiError } from '../../model/errors.ts';
import type { RunResult } from '../../workflow/index.ts';
import { FakeContext } from '../fake-context.fixture.ts';
import { imagesInfo } from '../run-info.fixture.ts';
import { demoVerb } from './demo.ts';
import { doctorVerb } from './doctor.ts';
import { infoVerb } from './info.ts';

describe('info', () => {
  const workflow = { runInfo: async () => imagesInfo };

  test('prints the report, or the facts themselves', async () => {
    const text = new FakeContext();
    expect(await infoVerb('images', {}, text, workflow)).toBe(0);
    expect(text.stdout).toMatch(/^images: 200 elements in 3.2 s/);
    const json = new FakeContext();
    await infoVerb('images', { json: true }, json, workflow);
    expect(JSON.parse(json.stdout)).toMatchObject({ schemaVersion: 1, name: 'images', lanes: 3 });
  });

  test('takes a pipeline for what it is', async () => {
    const refuse = () => Promise.reject(new VenturiError('VENTURI_RUN_UNREADABLE', 'x.ts looks like a text file.'));
    await expect(infoVerb('x.ts', {}, new FakeContext(), { runInfo: refuse })).rejects.toMatchObject({
      code: 'VENTURI_RUN_UNREADABLE',
      remedy: expect.stringContaining('venturi run x.ts --record'),
    });
    await expect(infoVerb('x.bin', {}, new FakeContext(), { runInfo: refuse })).rejects.toMatchObject({
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
  const run: RunResult = {
    schemaVersion: 1,
    status: 'completed',
    elements: 200,
    bytes: 1,
    seconds: 3.2,
    elementsPerSecond: 62.5,
    recording: 'd.venturi',
    warnings: [],
    random: [],
  };

  test('tells its steps on stderr and shows the run on stdout', async () => {
    const context = new FakeContext();
    const code = await demoVerb({ images: 20 }, context, {
      demo: async request => {
        request.onStep?.(`making ${request.images} images`);
        return { run, info: imagesInfo };
      },
    });
    expect(code).toBe(0);
    expect(context.stderr).toContain('making 20 images\n');
    expect(context.stdout).toMatch(/^images: 200 elements/);
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
