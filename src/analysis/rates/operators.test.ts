import { describe, expect, test } from 'vitest';
import type { Graph } from '../../model/graph.ts';
import { METRICS, type Metric } from '../../model/metric.ts';
import { RECORD_KIND } from '../../model/record.ts';
import type { RecordBlock } from '../../model/span.ts';
import { operator } from '../records.fixture.ts';
import { OperatorSummary, type RunRows } from './operators.ts';

type Counter = readonly [subject: string, metric: Metric, value: number, moment?: number];

const subjects: string[] = [];
const numberOf = (key: string): number => {
  if (!subjects.includes(key)) subjects.push(key);
  return subjects.indexOf(key);
};

function block(index: number, name: string, counters: readonly Counter[]): RecordBlock {
  return {
    lane: { index, uuid: `lane-${index}`, name, pid: 1, tid: index, opened: 0 },
    count: counters.length,
    kind: Uint8Array.from(counters, () => RECORD_KIND.counter),
    flags: Uint8Array.from(counters, ([, metric]) => METRICS[metric].code),
    subject: Int32Array.from(counters, ([key]) => numberOf(key)),
    sequence: new Uint32Array(counters.length),
    start: Float64Array.from(counters, ([, , , moment]) => moment ?? 0),
    duration: Float64Array.from(counters, ([, , value]) => value),
  };
}

const graph: Graph = {
  operators: [operator('files', []), operator('read', ['files']), operator('decode', ['read'])],
  channels: [{ id: 'files>read', from: 'files', to: 'read', slots: 8, capacity: 1e6 }],
  stages: [
    { id: 'files', operators: ['files'], parallelism: 1 },
    { id: 'work', operators: ['read', 'decode'], parallelism: 2 },
  ],
  fingerprint: 'f',
};

const SECOND = 1e9;

/** Two lanes of the same stage; each was on a core for two of four seconds, an eighth of that for the engine. */
function workLane(index: number, name: string): RecordBlock {
  return block(index, name, [
    [`lane:${name}`, 'running', 1 * SECOND, 1],
    [`lane:${name}`, 'running', 2 * SECOND, 2],
    [`lane:${name}`, 'runnable', 0.2 * SECOND],
    [`lane:${name}`, 'blocked', 0.4 * SECOND],
    [`lane:${name}`, 'starved', 1.2 * SECOND],
    [`lane:${name}`, 'backpressured', 0.2 * SECOND],
    [`lane:${name}`, 'overhead', 0.25 * SECOND],
    [`lane:${name}`, 'storageAsked', 5000],
    ['stage:work', 'cpu', 2 * SECOND],
    ['stage:work', 'bytesOut', 700],
    ['operator:read', 'elementsIn', 100],
    ['operator:read', 'elementsOut', 100],
    ['operator:read', 'sampledElements', 10],
    ['operator:read', 'sampledTime', 100_000],
    ['operator:read', 'sampledSquares', 1100],
    ['operator:decode', 'elementsIn', 100],
    ['operator:decode', 'elementsOut', 90],
    ['operator:decode', 'sampledElements', 10],
    ['operator:decode', 'sampledTime', 900_000],
    ['operator:decode', 'sampledSquares', 90_000],
  ]);
}

const parent = block(0, 'parent', [
  ['process', 'processCpu', 5e6],
  ['process', 'residentMemory', 300, 1],
  ['process', 'residentMemory', 200, 2],
  ['host', 'hostCpuBusy', 7e6],
  ['host', 'hostMemoryAvailable', 4000, 1],
  ['host', 'hostMemoryAvailable', 1000, 2],
  ['host', 'hostMemoryAvailable', 2000, 3],
  ['channel:files>read', 'occupancy', 12 * SECOND],
  ['channel:files>read', 'saturated', 1 * SECOND],
  ['channel:files>read', 'chunksQueued', 8, 1],
  ['channel:files>read', 'chunksQueued', 2, 2],
]);

function summarise(blocks: readonly RecordBlock[], of: { graph: Graph | undefined } = { graph }): RunRows {
  const summary = new OperatorSummary();
  for (const one of blocks) summary.block(one, subjects);
  return summary.result(of.graph, 4 * SECOND);
}

const rows = summarise([parent, workLane(1, 'work#0'), workLane(2, 'work#1')]);
const row = (id: string) => rows.operators.find(candidate => candidate.id === id);

describe('operators', () => {
  test('counts sum over lanes, and the last value of a total is the one that counts', () => {
    expect(row('decode')).toMatchObject({ lanes: 2, elementsIn: 200, elementsOut: 180, elementsPerSecond: 45 });
    expect(rows.lanes.map(lane => lane.running)).toEqual([2 * SECOND, 2 * SECOND]);
  });

  test('a later block with earlier moments does not take the value back', () => {
    const late = block(1, 'work#0', [['operator:decode', 'elementsOut', 50, -1]]);
    const again = summarise([workLane(1, 'work#0'), late]);
    expect(again.operators.find(({ id }) => id === 'decode')?.elementsOut).toBe(90);
  });

  test('CPU is the stage’s without overhead, by parts of the sampled time', () => {
    // 2 lanes × 2 s × (1 − 0.25 / 2) = 3.5 s, of which decode's samples hold nine tenths.
    expect(row('decode')?.cpuNs).toBeCloseTo(3.15 * SECOND, 0);
    expect(row('read')?.cpuNs).toBeCloseTo(0.35 * SECOND, 0);
    expect(row('decode')?.cores).toBeCloseTo(3.15 / 4, 9);
    expect(row('decode')?.cpuShare).toBeCloseTo(3.15 / 4, 9);
    const [low, high] = row('decode')?.cpuIntervalNs ?? [0, 0];
    expect(low).toBeLessThan(3.15 * SECOND);
    expect(high).toBeGreaterThan(3.15 * SECOND);
    expect(high - low).toBeLessThan(0.5 * SECOND);
  });

  test('shares and the overhead make a whole', () => {
    const shares = rows.operators.reduce((sum, { cpuShare }) => sum + cpuShare, 0);
    expect(shares + rows.totals.overheadCpu / rows.totals.laneCpu).toBeCloseTo(1, 9);
  });

  test('bytes that left the stage left its last operator; inside it none are known', () => {
    expect(row('decode')?.bytesOut).toBe(1400);
    expect(row('read')?.bytesOut).toBeUndefined();
  });

  test('waits are shares of its lanes’ wall time', () => {
    const waiting = row('read')?.waiting;
    expect(waiting?.starved).toBeCloseTo(0.3, 9);
    expect(waiting?.backpressured).toBeCloseTo(0.05, 9);
    expect(waiting?.blocked).toBeCloseTo(0.1, 9);
    expect(waiting?.runnable).toBeCloseTo(0.05, 9);
  });

  test('an operator of which nothing was recorded has a row of zeros', () => {
    expect(row('files')).toMatchObject({ lanes: 0, elementsOut: 0, cpuNs: 0, cpuIntervalNs: [0, 0] });
  });

  test('without a graph the recorded names stand in', () => {
    const found = summarise([workLane(1, 'work#0')], { graph: undefined }).operators.map(({ id }) => id);
    expect(found).toEqual(['read', 'decode']);
  });

  test('stages of one thread share its overhead', () => {
    const inline = block(0, 'inline', [
      ['lane:inline', 'running', 4 * SECOND],
      ['lane:inline', 'overhead', 1 * SECOND],
      ['stage:files', 'cpu', 1 * SECOND],
      ['stage:work', 'cpu', 3 * SECOND],
    ]);
    const { operators, totals } = summarise([inline]);
    const cpu = operators.reduce((sum, { cpuNs }) => sum + cpuNs, 0);
    expect(operators.find(({ id }) => id === 'files')?.cpuNs).toBe(0.75 * SECOND);
    expect(cpu + totals.overheadCpu).toBe(4 * SECOND);
  });
});

test('lanes: five states, their sum, and no row for a lane that has none', () => {
  expect(rows.lanes.map(({ name }) => name)).toEqual(['work#0', 'work#1']);
  expect(rows.lanes[0]).toMatchObject({ wall: 4 * SECOND, overhead: 0.25 * SECOND, storageAsked: 5000 });
});

test('channels: mean and peak occupancy, and the part of the time they were full', () => {
  expect(rows.channels).toEqual([
    { id: 'files>read', from: 'files', to: 'read', slots: 8, meanOccupancy: 3, peakOccupancy: 8, saturatedShare: 0.25 },
  ]);
});

describe('totals', () => {
  test('CPU of lanes, of the engine, and of the process outside lanes', () => {
    expect(rows.totals).toMatchObject({
      elements: 180,
      elementsPerSecond: 45,
      bytes: 1400,
      laneCpu: 4 * SECOND,
      overheadCpu: 0.5 * SECOND,
      processCpu: 5 * SECOND,
      outsideLanesCpu: 1 * SECOND,
      coresBusy: 1.25,
      peakResident: 300,
      hostCpuBusy: 7 * SECOND,
      hostMemoryLeast: 1000,
      storageAsked: 10_000,
    });
  });

  test('what nobody recorded is unknown, not zero', () => {
    const { totals } = summarise([workLane(1, 'work#0')]);
    expect(totals.processCpu).toBeUndefined();
    expect(totals.outsideLanesCpu).toBeUndefined();
    expect(totals.diskRead).toBeUndefined();
    expect(totals.coresBusy).toBe(0.5);
  });
});

test('metrics and subjects it does not know are passed over', () => {
  const strange = block(1, 'work#0', [['operator:decode', 'elementsOut', 5]]);
  strange.flags[0] = 250;
  const unnamed = block(1, 'work#0', [['operator:decode', 'elementsOut', 5]]);
  unnamed.subject[0] = -1;
  expect(summarise([strange, unnamed]).totals.elements).toBe(0);
});
