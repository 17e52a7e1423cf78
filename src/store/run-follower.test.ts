import { spawnSync } from 'node:child_process';
import { appendFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { RECORD_BYTES } from '../model/record.ts';
import type { Outcome } from '../model/run.ts';
import { type LaneOptions, type LaneWriter, openLane } from './lane-writer.ts';
import { newRun } from './run.fixture.ts';
import { type FollowEnd, type FollowOptions, RunFollower } from './run-follower.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'venturi-'));
  mkdirSync(join(folder, 'lanes'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const newsOf = (follower: RunFollower): string[] => {
  const rows: string[] = [];
  for (const { lane, count, subject, sequence } of follower.blocks()) {
    for (let row = 0; row < count; row++) {
      rows.push(`${lane.pid} ${follower.subjects[subject[row] ?? -1]} ${sequence[row]}`);
    }
  }
  return rows.sort();
};

test('gives each record once, of lanes that come later too', () => {
  const follower = new RunFollower(folder, 0n);
  expect(newsOf(follower)).toEqual([]);
  const first = openLane(folder, { name: 'first', pid: 1, tid: 1 });
  first.span(first.subjectNumber('wait:train'), 0, 100, 50);
  first.flush();
  expect(newsOf(follower)).toEqual(['1 wait:train 0']);
  expect(newsOf(follower)).toEqual([]);
  const second = openLane(folder, { name: 'second', pid: 2, tid: 2 });
  second.span(second.subjectNumber('prepare'), 7, 120, 50);
  second.flush();
  first.span(first.subjectNumber('consume:train'), 0, 150, 50);
  first.span(first.subjectNumber('wait:train'), 1, 200, 50);
  first.flush();
  expect(newsOf(follower)).toEqual(['1 consume:train 0', '1 wait:train 1', '2 prepare 7']);
  first.close();
  second.close();
});

test('half a record is read when it is whole', () => {
  const lane = openLane(folder, { name: 'first', pid: 1, tid: 1 });
  const number = lane.subjectNumber('wait:train');
  for (let batch = 0; batch < 3; batch++) lane.span(number, batch, 100 * batch, 50);
  lane.close();
  const [name = ''] = readdirSync(join(folder, 'lanes'));
  const path = join(folder, 'lanes', name);
  const whole = readFileSync(path);
  const follower = new RunFollower(folder, 0n);
  const seen: string[] = [];
  writeFileSync(path, whole.subarray(0, 100));
  for (let at = 100; at < whole.length; at += 7) {
    appendFileSync(path, whole.subarray(at, at + 7));
    seen.push(...newsOf(follower));
  }
  expect(seen.filter(row => row.includes('wait'))).toEqual([0, 1, 2].map(batch => `1 wait:train ${batch}`));
});

describe('following a run', () => {
  /** Without the timer, within a test: what wakes it is the notice of the system. */
  const BY_NOTICE = { restMs: 1, everyMs: 60_000 };
  const OUTCOME: Outcome = { status: 'completed', endedAt: '', monotonic: '300', warnings: [] };

  interface Followed {
    readonly end: Promise<FollowEnd>;
    /** All that has come, once so many have. */
    seen(count: number): Promise<readonly string[]>;
  }

  function follow(run: string, options: FollowOptions): Followed {
    const follower = new RunFollower(run, 0n);
    const rows: string[] = [];
    let told = (): void => undefined;
    const read = async (): Promise<FollowEnd> => {
      const blocks = follower.follow(options);
      for (;;) {
        const next = await blocks.next();
        if (next.done === true) return next.value;
        const { count, subject, sequence } = next.value;
        for (let row = 0; row < count; row++) rows.push(`${follower.subjects[subject[row] ?? -1]} ${sequence[row]}`);
        told();
      }
    };
    return {
      end: read(),
      seen: async count => {
        while (rows.length < count) {
          await new Promise<void>(resolve => {
            told = resolve;
          });
        }
        return rows;
      },
    };
  }

  const lane = (run: string, name: string, options: Partial<LaneOptions> = {}): LaneWriter =>
    openLane(run, { name, pid: process.pid, tid: 1, ...options });

  test('gives records and lanes as they come, and ends with the final mark', async () => {
    const run = newRun(folder, { pid: process.pid });
    const { seen, end } = follow(run.folder, BY_NOTICE);
    const first = lane(run.folder, 'first');
    first.span(first.subjectNumber('wait:train'), 0, 100, 50);
    first.flush();
    expect(await seen(1)).toEqual(['wait:train 0']);
    const second = lane(run.folder, 'second');
    second.span(second.subjectNumber('prepare'), 7, 120, 50);
    second.flush();
    expect(await seen(2)).toEqual(['wait:train 0', 'prepare 7']);
    first.span(first.subjectNumber('wait:train'), 1, 200, 50);
    first.close();
    second.close();
    run.finish(OUTCOME);
    expect(await end).toBe('complete');
    expect((await seen(3)).filter(row => row.startsWith('wait'))).toEqual(['wait:train 0', 'wait:train 1']);
  });

  test('gives each record of all segments once', async () => {
    const run = newRun(folder, { pid: process.pid });
    const { seen, end } = follow(run.folder, BY_NOTICE);
    const writer = lane(run.folder, 'first', { maxBytes: 64 * 1024 });
    const number = writer.subjectNumber('wait:train');
    const expected: string[] = [];
    const lanes = (): number => readdirSync(join(run.folder, 'lanes')).length;
    while (lanes() < 3) {
      for (let count = 0; count < 500; count++) {
        writer.span(number, expected.length, 100, 50);
        expected.push(`wait:train ${expected.length}`);
      }
      writer.flush();
      // Segments that were not read yet must not be deleted meanwhile.
      await seen(expected.length);
    }
    writer.close();
    run.finish(OUTCOME);
    expect(await end).toBe('complete');
    expect((await seen(0)).filter(row => row.startsWith('wait'))).toEqual(expected);
  });

  test('gives a record that was torn when it is whole', async () => {
    const run = newRun(folder, { pid: process.pid });
    const writer = lane(run.folder, 'torn');
    writer.span(writer.subjectNumber('wait:train'), 0, 100, 50);
    writer.flush();
    const [name = ''] = readdirSync(join(run.folder, 'lanes'));
    writer.span(writer.subjectNumber('wait:train'), 1, 200, 50);
    writer.close();
    const path = join(run.folder, 'lanes', name);
    const whole = readFileSync(path);
    // Of the second record only its first half has been written; the record that closes the lane follows it.
    const torn = whole.length - 2 * RECORD_BYTES + RECORD_BYTES / 2;
    writeFileSync(path, whole.subarray(0, torn));
    const { seen, end } = follow(run.folder, BY_NOTICE);
    const other = lane(run.folder, 'other');
    other.span(other.subjectNumber('prepare'), 7, 120, 50);
    other.flush();
    expect((await seen(2)).toSorted()).toEqual(['prepare 7', 'wait:train 0']);
    appendFileSync(path, whole.subarray(torn));
    other.close();
    run.finish(OUTCOME);
    expect(await end).toBe('complete');
    expect((await seen(0)).filter(row => row.startsWith('wait'))).toEqual(['wait:train 0', 'wait:train 1']);
  });

  test('ends where all who write have ended without the final mark', async () => {
    const { pid } = spawnSync('true');
    const run = newRun(folder, { pid });
    const writer = lane(run.folder, 'first', { pid });
    writer.span(writer.subjectNumber('wait:train'), 0, 100, 50);
    writer.flush();
    const { seen, end } = follow(run.folder, { restMs: 1, everyMs: 5 });
    expect(await end).toBe('abandoned');
    expect(await seen(0)).toEqual(['wait:train 0']);
    writer.close();
  });

  test('goes on while a process of a lane lives, whoever began the run', async () => {
    const { pid } = spawnSync('true');
    const run = newRun(folder, { pid });
    const writer = lane(run.folder, 'first');
    writer.span(writer.subjectNumber('wait:train'), 0, 100, 50);
    writer.flush();
    const stopping = new AbortController();
    const { seen, end } = follow(run.folder, { restMs: 1, everyMs: 5, signal: stopping.signal });
    await seen(1);
    await new Promise(resolve => setTimeout(resolve, 50));
    writer.span(writer.subjectNumber('wait:train'), 1, 200, 50);
    writer.flush();
    expect(await seen(2)).toEqual(['wait:train 0', 'wait:train 1']);
    stopping.abort();
    expect(await end).toBe('stopped');
    writer.close();
  });

  test('ends at once where the run is complete, with all there is', async () => {
    const run = newRun(folder);
    const writer = lane(run.folder, 'first');
    writer.span(writer.subjectNumber('wait:train'), 0, 100, 50);
    writer.close();
    run.finish(OUTCOME);
    const { seen, end } = follow(run.folder, BY_NOTICE);
    expect(await end).toBe('complete');
    expect((await seen(0)).filter(row => row.startsWith('wait'))).toEqual(['wait:train 0']);
  });
});
