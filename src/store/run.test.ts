import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { VenturiError } from '../model/errors.ts';
import type { Outcome } from '../model/run.ts';
import { openLane } from './lane-writer.ts';
import { FACTS, newRun, readAll, START, temporaryFolder } from './run.fixture.ts';
import { openRun } from './run-reader.ts';
import { createRun } from './run-writer.ts';

const OUTCOME: Outcome = {
  status: 'completed',
  endedAt: '2025-01-02T03:05:00.000Z',
  monotonic: '9',
  warnings: [],
};

function failure(act: () => unknown): VenturiError {
  try {
    act();
  } catch (error) {
    if (error instanceof VenturiError) return error;
    throw error;
  }
  throw new Error('nothing failed');
}

function withLane() {
  const run = newRun();
  const lane = openLane(run.folder, { name: 'decode#1', pid: 1, tid: 2, opened: BigInt(START) + 100n });
  lane.span(lane.subjectNumber('operator:decode'), 0, START + 150, 10);
  lane.close(START + 200);
  return { run, manifest: join(run.folder, 'run.json') };
}

describe('creating a run', () => {
  test('adds .venturi to a name that lacks it, and makes missing parents', () => {
    const folder = temporaryFolder();
    expect(createRun(join(folder, 'a/b'), FACTS).folder).toBe(join(folder, 'a/b.venturi'));
    expect(createRun(join(folder, 'c.venturi/'), FACTS).folder).toBe(join(folder, 'c.venturi'));
  });

  test('takes an empty folder, and refuses a run and any other folder with something in it', () => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, 'empty.venturi'));
    createRun(join(folder, 'empty'), FACTS);
    expect(failure(() => createRun(join(folder, 'empty'), FACTS))).toMatchObject({
      code: 'VENTURI_RUN_EXISTS',
      message: expect.stringMatching(/^The run .*empty\.venturi exists already\.$/),
    });
    mkdirSync(join(folder, 'photos.venturi'));
    writeFileSync(join(folder, 'photos.venturi/1.jpg'), '');
    expect(failure(() => createRun(join(folder, 'photos'), FACTS)).code).toBe('VENTURI_RUN_EXISTS');
    expect(readdirSync(join(folder, 'photos.venturi'))).toEqual(['1.jpg']);
  });

  test('says what to do where it may not be written', () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'file'), '');
    expect(failure(() => createRun(join(folder, 'file/run'), FACTS))).toMatchObject({
      code: 'VENTURI_RUN_UNWRITABLE',
      remedy: expect.stringContaining('Choose a place'),
    });
  });

  test('gives up run.json as a whole or not at all', () => {
    const run = newRun();
    rmSync(run.folder, { recursive: true });
    expect(failure(() => run.update({ name: 'other' })).code).toBe('VENTURI_RUN_UNWRITABLE');
    const sound = newRun();
    sound.update({ name: 'other' });
    sound.finish(OUTCOME);
    expect(readdirSync(sound.folder).sort()).toEqual(['lanes', 'run.json']);
    expect(openRun(sound.folder)).toMatchObject({ complete: true, manifest: { name: 'other', outcome: OUTCOME } });
  });
});

describe('opening a run', () => {
  test('without its final mark calls it incomplete', () => {
    const { run } = withLane();
    expect(openRun(run.folder)).toMatchObject({ complete: false, recovered: false, problems: [] });
    run.finish(OUTCOME);
    expect(openRun(run.folder).complete).toBe(true);
  });

  test('finds it without its ending', () => {
    const { run } = withLane();
    expect(openRun(run.folder.replace(/\.venturi$/, '')).lanes).toHaveLength(1);
  });

  test('without run.json counts time from its first lane', () => {
    const { run, manifest } = withLane();
    rmSync(manifest);
    const opened = openRun(run.folder);
    expect(opened).toMatchObject({ complete: false, recovered: true, manifest: { name: 'test', pid: 1 } });
    expect(opened.problems[0]).toEqual({
      code: 'VENTURI_WARN_MANIFEST_DAMAGED',
      message: expect.stringMatching(/^run\.json is missing\./),
    });
    expect(readAll(opened)[0]).toMatchObject({ start: 50, duration: 10, subject: 'operator:decode' });
  });

  test('with a run.json cut at any byte still reads its lanes', () => {
    const { run, manifest } = withLane();
    const whole = readFileSync(manifest, 'utf8').trimEnd();
    for (let length = 0; length < whole.length; length += 37) {
      writeFileSync(manifest, whole.slice(0, length));
      const opened = openRun(run.folder);
      expect(opened.problems[0]?.message).toMatch(/^run\.json is not whole/);
      expect(readAll(opened)).toHaveLength(2);
    }
  });

  test('keeps the facts of a run.json that are sound', () => {
    const { run, manifest } = withLane();
    const facts = JSON.parse(readFileSync(manifest, 'utf8'));
    writeFileSync(manifest, JSON.stringify({ ...facts, id: 7, host: { ...facts.host, coresUsable: 'two' } }));
    const opened = openRun(run.folder);
    expect(opened).toMatchObject({ recovered: true, manifest: { start: String(START), probe: 'engine' } });
    expect(opened.problems[0]?.message).toMatch(/run\.json departs from the format: .*host\.coresUsable/);
  });

  test('ignores facts that a later program of the same version added', () => {
    const { run, manifest } = withLane();
    const facts = JSON.parse(readFileSync(manifest, 'utf8'));
    writeFileSync(manifest, JSON.stringify({ ...facts, weather: 'fine' }));
    expect(openRun(run.folder)).toMatchObject({ recovered: false, problems: [] });
  });

  test('of a newer version names both versions', () => {
    const { run, manifest } = withLane();
    const facts = JSON.parse(readFileSync(manifest, 'utf8'));
    writeFileSync(manifest, JSON.stringify({ ...facts, version: 2, writer: '9.9.9' }));
    expect(failure(() => openRun(run.folder))).toMatchObject({
      code: 'VENTURI_RUN_TOO_NEW',
      message: 'test.venturi was written in version 2 of the run format; this program reads up to 1.',
      remedy: 'Update venturi (it was written by 9.9.9).',
    });
  });

  test('that is not there says what was tried', () => {
    const path = join(temporaryFolder(), 'nothing');
    expect(failure(() => openRun(path))).toMatchObject({
      code: 'VENTURI_RUN_NOT_FOUND',
      message: `There is no run at ${path}. Tried ${path} and ${path}.venturi.`,
    });
  });

  test.each([
    ['trace.json', '{"traceEvents": []}', 'a Chrome trace in JSON'],
    ['a.json', ' [1]', 'a JSON file'],
    ['a.txt', 'hello', 'a text file'],
    ['a.gz', Buffer.from([0x1f, 0x8b, 8]), 'a gzip file'],
    ['a.lane', 'VENTURI\0', 'a single lane of a run'],
    ['a.bin', Buffer.from([1, 0, 2]), 'a binary file'],
    ['none', '', 'an empty file'],
  ])('that is really %s says what that looks like', (name, content, looks) => {
    const path = join(temporaryFolder(), name);
    writeFileSync(path, content);
    const error = failure(() => openRun(path));
    expect(error.code).toBe('VENTURI_RUN_UNREADABLE');
    expect(error.message).toContain(`it looks like ${looks}`);
    expect(error.remedy).toContain('docs/steps.md names; the JSON it describes last can be made of any other');
  });

  test('that is some other folder says what is in it', () => {
    const folder = temporaryFolder();
    expect(failure(() => openRun(folder)).message).toContain('an empty folder');
    for (const name of ['a', 'b', 'c', 'd']) writeFileSync(join(folder, name), '');
    expect(failure(() => openRun(folder))).toMatchObject({
      code: 'VENTURI_RUN_UNREADABLE',
      message: `${folder} is not a readable run: it looks like a folder with a, b, c and 1 more.`,
      remedy: 'run.json is missing. Give a folder NAME.venturi with run.json or lanes in it.',
    });
  });
});
