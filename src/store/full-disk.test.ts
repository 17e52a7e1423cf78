import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { RECORD_KIND } from '../model/record.ts';
import { type LaneWriter, openLane, type WriteAt } from './lane-writer.ts';
import { newRun, readAll, START, temporaryFolder } from './run.fixture.ts';
import { openRun } from './run-reader.ts';

const LANE = { name: 'decode#1', pid: 7, tid: 8 };

/** A disk with room for `capacity` bytes of a file: a write beyond it is short, the next one fails. */
const smallDisk =
  (capacity: number, code: string): WriteAt =>
  (fd, bytes, offset, length, position) => {
    const fits = Math.min(length, capacity - position);
    if (fits <= 0) throw Object.assign(new Error(`${code}: injected`), { code });
    return writeSync(fd, bytes, offset, fits, position);
  };

/** Writes spans until the lane stops; gives how many it accepted. */
function writeUntilStopped(lane: LaneWriter, most: number): number {
  const decode = lane.subjectNumber('operator:decode');
  let accepted = 0;
  while (accepted < most) {
    lane.span(decode, accepted, START + accepted, 1);
    if (lane.stopped) break;
    accepted++;
  }
  return accepted;
}

function expectPrefix(folder: string, accepted: number): void {
  const spans = readAll(openRun(folder)).filter(record => record.kind === RECORD_KIND.span);
  expect(spans).toHaveLength(accepted);
  expect(spans.every((span, index) => span.sequence === index && span.subject === 'operator:decode')).toBe(true);
}

describe('a full disk', () => {
  test.each(['ENOSPC', 'EDQUOT', 'EIO', 'EROFS'])(
    '%s stops the lane with one warning and loses nothing accepted',
    code => {
      fc.assert(
        fc.property(fc.integer({ min: 256 * 1024, max: 1_500_000 }), capacity => {
          const run = newRun();
          const lane = openLane(run.folder, { ...LANE, write: smallDisk(capacity, code) });
          const accepted = writeUntilStopped(lane, 100_000);
          lane.span(1, 0, START, 1);
          lane.flush();
          lane.close();
          expect(lane.stopped).toBe(true);
          expect(lane.warnings).toHaveLength(1);
          expect(lane.warnings[0]).toContain(code);
          expect(accepted).toBeGreaterThan(10_000);
          expectPrefix(run.folder, accepted);
        }),
        { numRuns: 8 },
      );
    },
  );

  test('that has no room for a lane at all stops it from the start', () => {
    const run = newRun();
    const lane = openLane(run.folder, { ...LANE, write: smallDisk(1000, 'ENOSPC') });
    expect(writeUntilStopped(lane, 10)).toBe(0);
    expect(lane.warnings).toHaveLength(1);
    expect(openRun(run.folder).problems[0]?.message).toContain('it ends within its header');
  });

  test('gives back the space that was allocated ahead', () => {
    const run = newRun();
    const lane = openLane(run.folder, { ...LANE, write: smallDisk(300_000, 'ENOSPC') });
    const accepted = writeUntilStopped(lane, 100_000);
    const [name = ''] = readdirSync(join(run.folder, 'lanes'));
    expect(statSync(join(run.folder, 'lanes', name)).size).toBe(96 + 24 * (accepted + 1 + 2));
  });
});

function mountSmallDisk(folder: string): boolean {
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=300k', 'tmpfs', folder], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

test('a file system of 300 KB that fills up (skipped where a tmpfs may not be mounted)', context => {
  const folder = join(temporaryFolder(), 'small');
  mkdirSync(folder);
  if (!mountSmallDisk(folder)) return context.skip('SKIPPED: a tmpfs may not be mounted here');
  try {
    const run = newRun(folder);
    const lanes = [1, 2].map(index => openLane(run.folder, { ...LANE, name: `decode#${index}` }));
    const [first, second] = lanes as [LaneWriter, LaneWriter];
    const accepted = writeUntilStopped(first, 100_000);
    first.close();
    second.close();
    expect(accepted).toBeGreaterThan(10_000);
    const warnings = [...first.warnings, ...second.warnings];
    expect(warnings).toHaveLength(2);
    expect(warnings.every(warning => warning.includes('no space is left on the device (ENOSPC)'))).toBe(true);
    run.finish({ status: 'completed', endedAt: '', monotonic: String(START), warnings });
    expectPrefix(run.folder, accepted);
    expect(openRun(run.folder)).toMatchObject({ complete: true, manifest: { outcome: { warnings } } });
  } finally {
    execFileSync('umount', [folder]);
  }
});
