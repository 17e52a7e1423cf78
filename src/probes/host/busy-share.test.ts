import { expect, it } from 'vitest';
import { busyShare } from './busy-share.ts';

const core = (user: number, idle: number) => ({ times: { user, nice: 0, sys: 0, irq: 0, idle } });

it('is what all cores together did not idle, of the time between two looks', async () => {
  const looks = [
    [core(1000, 1000), core(500, 1500)],
    [core(1100, 1000), core(500, 1600)],
  ];
  expect(await busyShare(0, () => looks.shift() ?? [])).toBe(0.5);
});

it('is nothing where the system counts nothing', async () => {
  expect(await busyShare(0, () => [])).toBe(0);
});
