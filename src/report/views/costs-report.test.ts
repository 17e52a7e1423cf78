import { expect, test } from 'vitest';
import { type Cost, type PipelineCosts, PipelineCostsSchema, type TransferCosts } from '../../model/pipeline-costs.ts';
import { renderText } from '../text.ts';
import { costsReport } from './costs-report.ts';

const cost = (median: number): Cost => ({ median, low: median / 2, high: 2 * median });
const side = (times: number): TransferCosts => ({
  cpuNsPerChunk: cost(2000 * times),
  cpuNsPerElement: cost(100 * times),
  cpuNsPerByte: cost(0.2 * times),
  cpuNsPerArray: cost(500 * times),
  cpuNsPerObject: cost(50 * times),
  residuals: { numbers: cost(1), objects: cost(1), arrays: cost(1) },
});
const costs: PipelineCosts = {
  measured: {
    at: '2026-11-18T02:00:00.000Z',
    venturi: 'venturi 0.2.0',
    runtime: 'node 20.19.0',
    rounds: 5,
    clock: 'schedstat',
    busyShare: 0.03,
    seconds: 1.9,
  },
  send: side(1),
  receive: side(2),
  collectCpuNsPerArray: cost(40),
  wake: { wakerCpuNs: cost(3000), sleeperCpuNs: cost(5000), delayNs: cost(50_000) },
  start: { cpuNs: cost(2e7), delayNs: cost(9e7) },
  freshPage: { bytes: 4096, cpuNs: cost(250) },
  memory: [
    { threads: 1, bytesPerSecond: cost(8e9) },
    { threads: 2, bytesPerSecond: cost(12e9) },
  ],
  compute: [
    { threads: 1, chained: cost(1), independent: cost(1) },
    { threads: 2, chained: cost(1), independent: cost(0.9) },
  ],
};

test('the first line has both sides together, and the most that memory gives', () => {
  const [first] = costsReport({ schemaVersion: 1, costs });
  expect(first).toMatchObject({
    text: 'Handing on takes 300 ns of CPU an element, 600 ns a kB and 1.5 µs a typed array; memory gives 12.0 GB/s to 2 threads',
  });
});

test('each cost stands with its spread, and memory against busy threads', () => {
  const report = costsReport({ schemaVersion: 1, costs });
  const text = renderText(report, { width: 200 });
  expect(text).toContain('2.00 µs (1.00 µs to 4.00 µs)');
  expect(text).toMatch(/ 2 +12\.0 GB\/s +75 % +90 % +100 %/);
  expect(text).toContain('others used 3.0 % of the cores');
});

test('costs survive JSON', () => {
  expect(PipelineCostsSchema.parse(JSON.parse(JSON.stringify(costs)))).toEqual(costs);
});
