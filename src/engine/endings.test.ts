import { fileURLToPath } from 'node:url';
import { type LoadedPipeline, loadPipeline } from 'venturi/engine';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { define } from './api/define.ts';
import { range } from './sources/range.ts';

/** A probe whose `failing` method throws in the caller's own lane. */
const failingProbe = (failing: 'end' | 'close'): { module: string; options: unknown } => ({
  module: `data:text/javascript,${encodeURIComponent(`
    export const openLaneProbe = (options, lane) => {
      const fail = name => {
        if (name === '${failing}' && lane.name === 'consumer') throw new Error('the probe failed in ' + name);
      };
      return { cpu: () => 0, end: () => fail('end'), tick() {}, close: () => (fail('close'), []) };
    };`)}`,
  options: undefined,
});

let loaded: LoadedPipeline;
beforeAll(async () => {
  loaded = await loadPipeline(fileURLToPath(new URL('./fixtures/skipping.fixture.ts', import.meta.url)));
});
afterAll(() => loaded.dispose());

describe('a failure at the consumer’s end', () => {
  it.each(['end', 'close'] as const)('in the probe’s %s ends the run and is told', async failing => {
    const run = loaded.definition.run({ probe: failingProbe(failing), params: { n: 1000 } });
    await expect(run.drain()).rejects.toThrow(`the probe failed in ${failing}`);
    await expect(run.finished).rejects.toThrow(`the probe failed in ${failing}`);
  });
});

describe('an async function', () => {
  it('has as many calls under way as it may', async () => {
    let underWay = 0;
    let most = 0;
    const definition = define(
      { url: import.meta.url },
      {
        spec: {},
        build: () =>
          range(600).map(
            async x => {
              most = Math.max(most, ++underWay);
              await new Promise(resolve => setTimeout(resolve, 1));
              underWay--;
              return x;
            },
            { concurrency: 150 },
          ),
      },
    );
    const { elements } = await definition.run({ parallelism: 0, chunkElements: 600 }).drain();
    expect([elements, most]).toEqual([600, 150]);
  });

  it('is finished with what it has before a stopped run closes what it uses', async () => {
    const events: string[] = [];
    const { perWorker } = await import('./contract/context.ts');
    const definition = define(
      { url: import.meta.url },
      {
        spec: {},
        build: () =>
          range(5).map(
            perWorker(() => ({
              call: async (x: number) => {
                await new Promise(resolve => setTimeout(resolve, 20));
                events.push('called');
                return x;
              },
              close: () => void events.push('closed'),
            })),
            { concurrency: 1 },
          ),
      },
    );
    const run = definition.run({ parallelism: 0 });
    const draining = run.drain();
    await new Promise(resolve => setTimeout(resolve, 5));
    await run.stop();
    await draining;
    expect(events.at(-1)).toBe('closed');
    expect(events.filter(event => event === 'closed')).toHaveLength(1);
  });
});
