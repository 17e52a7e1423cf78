import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type LoadedPipeline, loadPipeline, type RunOptions } from 'venturi/engine';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { define } from './api/define.ts';
import type { OnError } from './description/operator-options.ts';
import type { Pipeline } from './description/pipeline.ts';
import { range } from './sources/range.ts';

const kept = Array.from({ length: 100 }, (_, x) => x).filter(x => x % 10 !== 3 && x !== 50 && x !== 20);
const expected = kept.flatMap(x => [x, -x]);

const folder = mkdtempSync(join(tmpdir(), 'on-error-'));
let loaded: LoadedPipeline;
beforeAll(async () => {
  loaded = await loadPipeline(fileURLToPath(new URL('./fixtures/skipping.fixture.ts', import.meta.url)));
});
afterAll(async () => {
  await loaded.dispose();
  rmSync(folder, { recursive: true, force: true });
});

async function collect(options: RunOptions) {
  const run = loaded.definition.run(options);
  const elements: unknown[] = [];
  for await (const element of run) elements.push(element);
  return { elements, progress: run.progress(), warnings: (await run.finished).warnings };
}

describe('an element on which a function throws', () => {
  it.each([
    ['on the calling thread', { parallelism: 0 as const }],
    ['in several threads', {}],
    ['in chunks of three', { chunkElements: 3 }],
  ])('is given up %s, and the others go on in order', async (where, options) => {
    const deadLetter = join(folder, `${where}.jsonl`);
    const { elements, progress, warnings } = await collect({ ...options, deadLetter });
    expect(elements).toEqual(expected);
    const passed = Object.fromEntries(
      progress.operators.map(({ id, elementsIn, elementsOut }) => [id, [elementsIn, elementsOut]]),
    );
    expect(passed).toMatchObject({ parse: [100, 90], later: [90, 89], twice: [89, 176], flaky: [176, 176] });
    const given = (operator: string): number =>
      warnings
        .filter(line => line.startsWith(`'${operator}' gave up`))
        .reduce((sum, line) => sum + Number(/gave up (\d+)/.exec(line)?.[1]), 0);
    expect([given('parse'), given('later'), given('twice'), given('flaky')]).toEqual([10, 1, 1, 0]);
    const letters = readFileSync(deadLetter, 'utf8')
      .trim()
      .split('\n')
      .map(line => JSON.parse(line));
    expect(letters).toHaveLength(12);
    expect(letters).toContainEqual({
      operator: 'parse',
      epoch: 0,
      index: 33,
      error: 'RangeError: bad 33',
      element: 33,
    });
    expect(letters).toContainEqual({ operator: 'later', epoch: 0, index: 50, error: 'Error: fifty', element: 50 });
  });

  it('fails the run where nobody says otherwise, or when the tries are used up', async () => {
    const failing = (onError: OnError): Pipeline<number> => {
      let tries = 0;
      return range(9).map(
        x => {
          if (x === 4 && tries++ < 3) throw new Error('four');
          return x;
        },
        { onError },
      );
    };
    const run = (pipeline: Pipeline<number>): Promise<unknown> =>
      define({ url: import.meta.url }, { spec: {}, build: () => pipeline })
        .run({ parallelism: 0 })
        .drain();
    await expect(run(failing('fail'))).rejects.toMatchObject({ code: 'VENTURI_USER_FUNCTION' });
    await expect(run(failing({ retries: 2 }))).rejects.toThrow(/threw on element 4: Error: four/);
    await expect(run(failing({ retries: 3 }))).resolves.toMatchObject({ elements: 9 });
  });

  it('is not given up where its letter cannot be written', async () => {
    const deadLetter = join(folder, 'missing', 'letters.jsonl');
    await expect(collect({ deadLetter })).rejects.toMatchObject({ code: 'VENTURI_RUN_UNWRITABLE' });
  });

  it('refuses a policy it does not know', () => {
    expect(() => range(3).map(x => x, { onError: 'ignore' as 'skip' })).toThrow(/onError is 'ignore'/);
  });
});
