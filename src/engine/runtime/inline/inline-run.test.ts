import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { define } from '../../api/define.ts';
import { defineSource } from '../../description/extension.ts';
import type { Pipeline } from '../../description/pipeline.ts';
import { from } from '../../sources/iterable.ts';
import { range } from '../../sources/range.ts';

const inline = <T>(pipeline: Pipeline<T>) =>
  define({ url: import.meta.url }, { spec: {}, build: () => pipeline }).run({ parallelism: 0 });

describe('a run without threads', () => {
  it('asks its source for several elements at a time, but never for many', async () => {
    const asked: number[] = [];
    const counted = defineSource({
      kind: 'counted',
      open() {
        let next = 0;
        return {
          read(into: number[], limit: number) {
            asked.push(limit);
            const count = Math.min(limit, 5000 - next);
            for (let at = 0; at < count; at++) into.push(next++);
            return count;
          },
          done: () => next / 5000,
          close: () => undefined,
        };
      },
    });
    const elements: number[] = [];
    for await (const element of inline(from(counted))) elements.push(element);
    expect(elements).toEqual(Array.from({ length: 5000 }, (_, at) => at));
    expect(asked[0]).toBe(1);
    expect(Math.max(...asked)).toBeGreaterThan(1);
    expect(Math.max(...asked)).toBeLessThanOrEqual(64);
  });

  it('has as many calls of an async function under way as that allows', async () => {
    let underWay = 0;
    let most = 0;
    const elements: number[] = [];
    const called = range(100).map(
      async x => {
        most = Math.max(most, ++underWay);
        await turn();
        underWay--;
        return x;
      },
      { concurrency: 4 },
    );
    for await (const element of inline(called)) elements.push(element);
    expect(elements).toEqual(Array.from({ length: 100 }, (_, at) => at));
    expect(most).toBe(4);
  });
});
