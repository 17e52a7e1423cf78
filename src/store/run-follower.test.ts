import { appendFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openLane } from './lane-writer.ts';
import { RunFollower } from './run-follower.ts';

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
