import { syncBuiltinESMExports } from 'node:module';
import threads from 'node:worker_threads';
import { type LoadedPipeline, loadPipeline, type RunOptions } from 'venturi/engine';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { rounds } from '../../test/fixtures/depth.ts';
import { AT_WORK } from './fixtures/mortal.fixture.ts';

const { Worker } = threads;
const atWork = new Int32Array(new SharedArrayBuffer(4 * 8192));
const alive = new Set<MortalWorker>();

/** Every thread the engine starts, to be ended from outside. */
class MortalWorker extends Worker {
  /** Its place in the run. */
  readonly place: string;

  constructor(...parts: ConstructorParameters<typeof Worker>) {
    super(...parts);
    this.place = parts[1]?.name ?? '';
    alive.add(this);
    this.on('exit', () => alive.delete(this));
  }
}

let loaded: LoadedPipeline;
beforeAll(async () => {
  threads.setEnvironmentData(AT_WORK, atWork.buffer as unknown as threads.Serializable);
  threads.Worker = MortalWorker;
  syncBuiltinESMExports();
  loaded = await loadPipeline(new URL('./fixtures/mortal.fixture.ts', import.meta.url).href);
});
afterAll(async () => {
  threads.Worker = Worker;
  syncBuiltinESMExports();
  await loaded.dispose();
});

const expected = (count: number): number[] =>
  Array.from({ length: count }, (_, x) =>
    Array.from({ length: x % 997 === 0 ? 3000 : x % 4 }, (_each, copy) => x * 10_000 + copy),
  ).flat();

/** Ends threads at random moments of their work until `deaths` have died, and lets the rest of the run pass. */
async function hunted(
  count: number,
  deaths: number,
  options: RunOptions & { parted?: boolean; batch?: number },
): Promise<{ given: unknown[]; died: number }> {
  const { parted = false, batch = 0, ...settings } = options;
  atWork.fill(0);
  const run = loaded.definition.run({ ...settings, params: { count, parted, batch } });
  let died = 0;
  const diedEarly = new Set<string>();
  let random = 12345 + deaths;
  const roll = (below: number): number => {
    random = (Math.imul(random, 1103515245) + 12345) >>> 0;
    return Math.floor((random / 2 ** 32) * below);
  };
  const hunter = setInterval(() => {
    if (died >= deaths) return;
    // Some die at their first chunk, but not two in a row: what dies over and over at the same place is no accident.
    const early = roll(4) === 0;
    const prey = [...alive].filter(({ threadId, place }) => {
      const calls = threadId > 0 ? (atWork[threadId % atWork.length] ?? 0) : 0;
      return early && !diedEarly.has(place) ? calls > 0 : calls > 200 + roll(400);
    });
    const chosen = prey[roll(prey.length)];
    if (chosen === undefined) return;
    died++;
    if (early) diedEarly.add(chosen.place);
    else diedEarly.delete(chosen.place);
    alive.delete(chosen);
    void chosen.terminate();
  }, 3);
  const given: unknown[] = [];
  try {
    for await (const element of run) {
      given.push(element);
      // The consumer is in no hurry while threads are to die.
      if (died < deaths && given.length % 64 === 0) await new Promise(resolve => setTimeout(resolve, 1));
    }
  } finally {
    clearInterval(hunter);
  }
  return { given, died };
}

const DEATHS = rounds(12, 60);

describe('threads that die at any moment are replaced, and nothing is lost or doubled', () => {
  it.each([
    ['in chunks of some', { chunkElements: 64 }, 4],
    ['in small chunks and few slots', { chunkElements: 2, slots: 2 }, 4],
    ['where ways part and meet', { parted: true, chunkElements: 5 }, 2],
  ] as const)('%s', { timeout: 600_000 }, async (_, options, share) => {
    const deaths = Math.ceil(DEATHS / share);
    const count = 400 * deaths;
    const { given, died } = await hunted(count, deaths, options);
    expect(died).toBe(deaths);
    const wanted = expected(count);
    const one = (x: number): unknown => ('parted' in options ? [x + 1, x] : x);
    expect(given.length).toBe(wanted.length);
    expect(given.findIndex((element, at) => JSON.stringify(element) !== JSON.stringify(one(wanted[at] ?? -1)))).toBe(
      -1,
    );
  });

  it.each([
    ['chunks of some', { batch: 7, chunkElements: 64, epochs: 1 }],
    ['small chunks and few slots', { batch: 5, chunkElements: 2, slots: 2, epochs: 1 }],
    ['several passes', { batch: 7, chunkElements: 64, epochs: 3 }],
  ] as const)('where lanes make batches, in %s', { timeout: 600_000 }, async (_, options) => {
    const deaths = Math.ceil(DEATHS / 4);
    const count = Math.ceil((2000 * deaths) / options.epochs) + 3;
    const { given, died } = await hunted(count, deaths, options);
    expect(died).toBe(deaths);
    const numbers = Array.from({ length: count }, (_each, x) => x + 1);
    const pass = inBatches(inBatches(numbers, options.batch), 2);
    expect(given).toEqual(Array.from({ length: options.epochs }, () => pass).flat());
  });
});

const inBatches = <T>(items: readonly T[], size: number): T[][] =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, at) => items.slice(at * size, (at + 1) * size));
