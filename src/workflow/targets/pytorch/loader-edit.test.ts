import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { LoaderSummary } from '../../../analysis/batches/summary.ts';
import { summary } from '../../../tuning/loader/summary.fixture.ts';
import { editOf } from './loader-edit.ts';
import type { ProgramRun } from './read-batches.ts';

const CREATED = new Date('2026-11-17T12:00:00Z');

describe('the edit of a recorded program', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'venturi-edit-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const written = (name: string, ...lines: string[]): string => {
    const file = join(folder, name);
    mkdirSync(join(file, '..'), { recursive: true });
    writeFileSync(file, `${lines.join('\n')}\n`);
    utimesSync(file, CREATED, CREATED);
    return file;
  };
  const edit = (loader: LoaderSummary, ...others: LoaderSummary[]) => {
    const program = {
      run: { manifest: { createdAt: CREATED.toISOString() } },
      summary: { loaders: [loader, ...others], torch: '2.15.0' },
    };
    return editOf(program as unknown as ProgramRun, loader, { num_workers: 4 });
  };

  it("is never of a library's file", () => {
    const theirs = written('lib/python3/site-packages/fast/data.py', 'return DataLoader(data, num_workers=2)');
    expect(edit(summary({}, { location: `${theirs}:1`, stack: [] }))).toMatchObject({
      isOfSource: false,
      diff: [],
      advice: ['Give it num_workers=4 through fast, which makes the loader.'],
    });
    const own = written('train.py', 'from fast import data', 'loader = data.build(images, num_workers=2)');
    const stack = [{ file: own, line: 2, function: '<module>' }];
    expect(edit(summary({}, { location: `${own}:2`, stack, library: 'fast' }))).toMatchObject({
      location: `${own}:2`,
      isOfSource: true,
      diff: expect.arrayContaining(['+loader = data.build(images, num_workers=4)']),
    });
  });

  it('is of the line that asks for this loader alone', () => {
    const file = written(
      'train.py',
      'def build(data, workers):',
      '    return DataLoader(data, num_workers=workers)',
      'train = build(a, 2)',
      'val = build(b, 2)',
    );
    const made = (name: string, line: number): LoaderSummary =>
      summary(
        {},
        {
          name,
          key: name,
          location: `${file}:2`,
          stack: [
            { file, line: 2, function: 'build' },
            { file, line, function: '<module>' },
          ],
        },
      );
    expect(edit(made('val', 4), made('train', 3))).toMatchObject({
      location: `${file}:4`,
      diff: expect.arrayContaining(['+val = build(b, 4)']),
    });
  });

  it('is none of a file that has changed since', () => {
    const file = written('train.py', 'loader = DataLoader(data)');
    const loader = summary({}, { location: `${file}:1`, stack: [] });
    expect(edit(loader)).toMatchObject({ isOfSource: true });
    utimesSync(file, CREATED, new Date(CREATED.getTime() + 60_000));
    expect(edit(loader)).toMatchObject({
      isOfSource: false,
      location: `${file}:1`,
      advice: ['Give it num_workers=4 where the loader is made.'],
    });
  });
});
