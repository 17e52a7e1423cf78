import { describe, expect, it } from 'vitest';
import { NONE } from '../../simulation/agenda.ts';
import { SharedClock } from './clock.ts';

const machine = (cores: number, physical = cores, others = 0) => ({ cores, physical, others });

/** When each of several jobs ends, all begun at once: CPU and threads of each. */
function endings(clock: SharedClock, jobs: readonly (readonly [cpu: number, threads: number])[]): number[] {
  const ends: number[] = [];
  for (const [job, [cpu, threads]] of jobs.entries()) clock.work(cpu, threads, job);
  for (let job = clock.next(); job !== NONE; job = clock.next()) ends[job] = clock.now;
  return ends;
}

describe('time on shared cores', () => {
  it('leaves other programs their part', () => {
    expect(
      endings(new SharedClock(machine(2, 2, 2), 1), [
        [10, 1],
        [10, 1],
      ]),
    ).toEqual([20, 20]);
  });

  it('leaves a program its share, however many threads it has, where cores are divided among sessions', () => {
    const shared = { ...machine(2, 2, 6), ownShare: 0.5 };
    expect(endings(new SharedClock(shared, 0), [[10, 1]])).toEqual([20]);
    expect(
      endings(new SharedClock(shared, 0), [
        [10, 1],
        [10, 1],
      ]),
    ).toEqual([40, 40]);
  });

  it.each([
    ['half a core', 0, 3],
    ['a quarter', 1 / 2, 2.5],
    ['nothing', 1, 2],
  ])('counts the second threads of cores as up to half of one each: %s', (_, contention, cores) => {
    // Four threads on two cores of two threads each.
    const ends = endings(new SharedClock(machine(4, 2), contention), [
      [10, 1],
      [10, 1],
      [10, 1],
      [10, 1],
    ]);
    for (const end of ends) expect(end).toBeCloseTo(40 / cores);
  });
});
