import { describe, expect, it } from 'vitest';
import { NONE } from './agenda.ts';
import { Line } from './line.ts';
import { VirtualClock } from './virtual-clock.ts';

const cores = (count: number): VirtualClock => new VirtualClock(threads => Math.min(1, count / threads));

/** When each of several jobs ends, all begun at once: CPU and threads of each. */
function endings(clock: VirtualClock, jobs: readonly (readonly [cpu: number, threads: number])[]): number[] {
  const ends: number[] = [];
  for (const [at, [cpu, threads]] of jobs.entries()) clock.work(cpu, threads, at);
  for (let event = clock.next(); event !== NONE; event = clock.next()) ends[event] = clock.now;
  return ends;
}

describe('virtual time on shared cores', () => {
  it('lets threads run at full pace while there are cores', () => {
    expect(
      endings(cores(2), [
        [10, 1],
        [4, 1],
      ]),
    ).toEqual([10, 4]);
  });

  it('shares a core evenly', () => {
    expect(
      endings(cores(1), [
        [10, 1],
        [4, 1],
      ]),
    ).toEqual([14, 8]);
  });

  it('gives a job of several threads as many shares', () => {
    // Three threads on two cores until the first has had 6.
    expect(
      endings(cores(2), [
        [6, 1],
        [8, 2],
      ]),
    ).toEqual([9, 11]);
  });

  it('does not slow down who sleeps, and counts what a busy thread has had', () => {
    const clock = cores(1);
    clock.after(5, 7);
    clock.work(10, 1, 0);
    clock.work(10, 1, 1);
    expect([clock.nextMoment, clock.next(), clock.now, clock.worked, clock.threads]).toEqual([5, 7, 5, 2.5, 2]);
    clock.advance(6);
    clock.at(20, 8);
    // At one moment, timers first, then who began first.
    expect([clock.next(), clock.next(), clock.next(), clock.next()]).toEqual([8, 0, 1, NONE]);
    expect([clock.now, clock.worked, clock.threads, clock.nextMoment]).toEqual([20, 10, 0, Number.POSITIVE_INFINITY]);
  });
});

it('a line serves one after the other', () => {
  const line = new Line();
  expect([line.serve(0, 3), line.serve(1, 3), line.serve(10, 3)]).toEqual([3, 6, 13]);
});
