import { setTimeout } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { simulateOnThreads } from './simulation-threads.ts';

it('warns of nothing with more threads than listeners are expected, and leaves what it cannot do', async () => {
  const warnings: string[] = [];
  const heard = ({ message }: Error): unknown => warnings.push(message);
  process.on('warning', heard);
  const tasks = Array.from({ length: 12 }, () => ({}) as never);
  const { signal } = new AbortController();
  // Without a build there is no program for threads, so each fails at its first task.
  const left = await simulateOnThreads({
    profile: {} as never,
    request: {} as never,
    tasks,
    threads: 12,
    signal,
    done: () => undefined,
  });
  await setTimeout(1);
  process.off('warning', heard);
  expect(left).toHaveLength(12);
  expect(warnings).toEqual([]);
});
