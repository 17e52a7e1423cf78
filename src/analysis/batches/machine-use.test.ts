import { describe, expect, it } from 'vitest';
import { METRICS, type Metric } from '../../model/metric.ts';
import { RECORD_KIND } from '../../model/record.ts';
import { MachineFold } from './machine-use.ts';

type Row = readonly [key: string, metric: Metric, at: number, value: number];

function use(lanes: readonly (readonly Row[])[]) {
  const fold = new MachineFold();
  const subjects = ['process', 'host', 'operator:a'];
  for (const [index, rows] of lanes.entries()) {
    fold.block(
      {
        lane: { index, uuid: String(index), name: `lane ${index}`, pid: 100 + index, tid: 1, opened: 0 },
        count: rows.length,
        kind: Uint8Array.from(rows, () => RECORD_KIND.counter),
        flags: Uint8Array.from(rows, ([, metric]) => METRICS[metric].code),
        subject: Int32Array.from(rows, ([key]) => subjects.indexOf(key)),
        sequence: new Uint32Array(rows.length),
        start: Float64Array.from(rows, ([, , at]) => at),
        duration: Float64Array.from(rows, ([, , , value]) => value),
      },
      subjects,
    );
  }
  return fold.result();
}

const SECOND = 1e9;
/** Microseconds of CPU, as they stand on disk. */
const cpu = (at: number, seconds: number): Row => ['process', 'processCpu', at * SECOND, seconds * 1e6];

describe('what a program uses of the machine', () => {
  it('adds its processes up, between any two moments', () => {
    const { own } = use([
      [cpu(0, 0), cpu(10, 5)],
      [cpu(0, 0), cpu(10, 10)],
    ]);
    expect(own(0, 10 * SECOND)).toBeCloseTo(1.5);
    expect(own(2 * SECOND, 4 * SECOND)).toBeCloseTo(1.5);
  });

  it('knows what all programs use where the host was counted', () => {
    const host: Row[] = [
      ['host', 'hostCpuBusy', 0, 0],
      ['host', 'hostCpuBusy', 10 * SECOND, 20e6],
    ];
    expect(use([host]).all(0, 10 * SECOND)).toBeCloseTo(2);
    expect(use([[cpu(0, 0)]]).all(0, SECOND)).toBeNaN();
  });

  it('keeps the most a process had, and the least that was left', () => {
    const { processes, memoryAvailable } = use([
      [
        ['process', 'privateMemory', 1, 5],
        ['process', 'privateMemory', 2, 9],
        ['process', 'privateMemory', 3, 7],
        ['process', 'storageAsked', 3, 1000],
      ],
      [
        ['host', 'hostMemoryAvailable', 1, 80],
        ['host', 'hostMemoryAvailable', 2, 60],
      ],
    ]);
    expect(processes).toHaveLength(1);
    expect(processes[0]).toMatchObject({ private: 9, asked: 1000, read: 0, resident: Number.NaN });
    expect(memoryAvailable).toBe(60);
  });
});
