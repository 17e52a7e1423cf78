import { expect, test } from 'vitest';
import { MachineFold } from '../../analysis/batches/machine-use.ts';
import { elementsOf, fold, order, span } from '../../analysis/batches/records.fixture.ts';
import { imagesInfo } from '../../cli/run-info.fixture.ts';
import { profileOf } from './profile.ts';

const MS = 1e6;
const WORKER = 7;

/** Twenty batches, ready when they are asked for; a step takes the host 2 ms. */
function stepsOf(onDevice: number): number {
  const batches = Array.from({ length: 20 }, (_, number) => number);
  const main = batches.flatMap(number => {
    const at = (number + 1) * 10 * MS;
    return [
      ...order('train', number, at - 10 * MS, WORKER, number),
      span('arrive:train', number, at - 4 * MS, at - 4 * MS),
      span('wait:train', number, at, at + MS),
      span('consume:train', number, at + MS, at + 3 * MS),
      ...(onDevice > 0 && number % 2 === 0 ? [span('device:train', number, at, at + onDevice)] : []),
    ];
  });
  const worker = batches.flatMap(number => {
    const at = number * 10 * MS;
    return [span('prepare', number, at + MS, at + 5 * MS), elementsOf(8)];
  });
  const facts = fold([
    { pid: 1, rows: main },
    { pid: WORKER, rows: worker },
  ]).result();
  const profile = profileOf('train', { facts, use: new MachineFold().result(), host: imagesInfo.manifest.host });
  const steps = profile?.steps ?? [];
  expect(steps.length).toBeGreaterThan(10);
  return steps.reduce((sum, { cpu, asleep }) => sum + cpu + asleep, 0) / steps.length;
}

test('a step is as long as on the device that does it, where that was asked', () => {
  expect(stepsOf(0)).toBeCloseTo(2 * MS);
  expect(stepsOf(54 * MS)).toBeCloseTo(54 * MS);
  // The host may be the slower of the two.
  expect(stepsOf(MS)).toBeCloseTo(2 * MS);
});
