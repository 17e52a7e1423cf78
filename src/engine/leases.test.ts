import fc from 'fast-check';
import type { Lease, RunOptions, Tensor } from 'venturi/engine';
import { afterAll, describe, expect, it } from 'vitest';
import { rounds } from '../../test/fixtures/depth.ts';
import { collect, failureOf, within } from './fixtures/outcome.fixture.ts';
import { ScratchFolder } from './fixtures/scratch-folder.fixture.ts';
import stacks from './fixtures/stacks.fixture.ts';

const folder = new ScratchFolder();
afterAll(() => folder.remove());

interface Batch {
  readonly image: Tensor<Float32Array>;
  readonly label: Tensor<BigInt64Array>;
}

/** The numbers that a batch was made of, if it still is what it was. */
function numbersOf({ image, label }: Batch): readonly number[] {
  const [, , numbers = 0] = image.shape;
  const isRight = image.data.every((x, at) => x === Number(label.data[Math.floor(at / numbers)]));
  return isRight ? Array.from(label.data, Number) : [Number.NaN];
}

/** Takes all batches and keeps as many as `keeps` says, to the end where that is infinite; each is looked at when it is given back. */
async function leased(leases: AsyncIterable<Lease<unknown>>, keeps: number): Promise<{ seen: number[]; lent: number }> {
  const held: Lease<Batch>[] = [];
  const seen: number[] = [];
  let lent = 0;
  const giveBack = (lease: Lease<Batch> | undefined): void => {
    if (lease === undefined) return;
    seen.push(...numbersOf(lease.value));
    if (lease.isLent) lent++;
    lease.release();
  };
  for await (const lease of leases as AsyncIterable<Lease<Batch>>) {
    held.push(lease);
    // Others have time to write where nobody should.
    await new Promise(resolve => setImmediate(resolve));
    if (held.length > keeps) giveBack(held.shift());
  }
  for (const lease of held) giveBack(lease);
  return { seen, lent };
}

const params = fc.record({
  name: fc.constantFrom('plain', 'placed', 'filtered'),
  count: fc.nat(60),
  size: fc.integer({ min: 1, max: 7 }),
  numbers: fc.constantFrom(10, 60_000),
  parallelism: fc.integer({ min: 1, max: 4 }),
});
const options = fc.record({
  parallelism: fc.constantFrom(undefined, undefined, 0 as const),
  memory: fc.constantFrom(2 ** 21, 2 ** 28),
  slots: fc.constantFrom(undefined, 1, 2),
});

const given = ({
  parallelism,
  memory,
  slots,
}: {
  parallelism: 0 | undefined;
  memory: number;
  slots?: number | undefined;
}) =>
  ({
    memory,
    borrow: true,
    ...(parallelism === 0 && { parallelism }),
    ...(slots !== undefined && { slots }),
  }) satisfies RunOptions;

describe('batches that are leased', () => {
  it('are what they were until they are given back, however many are kept, and the run comes to its end', async () => {
    await fc.assert(
      fc.asyncProperty(params, options, fc.constantFrom(0, 1, 3, 10, Infinity), async (setting, option, keeps) => {
        const run = stacks.run({ params: setting, ...given(option) });
        const { seen } = await within(leased(run.leases(), keeps));
        const wanted = Array.from({ length: setting.count }, (_, x) => x);
        expect(seen).toEqual(setting.name === 'filtered' ? wanted.filter(x => x % 3 !== 0) : wanted);
        expect((await run.finished).status).toBe('completed');
      }),
      { numRuns: rounds(5, 20) },
    );
  });

  it('are all lent where each is given back in time, and some are copies where all are kept', async () => {
    const setting = { name: 'placed', count: 60, size: 2, numbers: 60_000 };
    const run = (): AsyncIterable<Lease<unknown>> => stacks.run({ params: setting, borrow: true }).leases();
    expect((await within(leased(run(), 1))).lent).toBe(30);
    const { lent, seen } = await within(leased(run(), Number.POSITIVE_INFINITY));
    expect(lent).toBeGreaterThan(0);
    expect(lent).toBeLessThan(30);
    expect(seen.length).toBe(60);
  });

  it('have places as large as without leases, out of what the consumer may hold', async () => {
    // A batch of 480 kB fits one of four places in a quarter of this.
    const setting = { name: 'placed', count: 60, size: 2, numbers: 60_000, parallelism: 1 };
    const run = stacks.run({ params: setting, borrow: true, memory: 2 ** 24 });
    expect((await within(leased(run.leases(), 1))).lent).toBe(30);
  });

  it('stay what they are when lanes die, and after the run', async () => {
    const log = `${folder.path}/died`;
    const run = stacks.run({ params: { name: 'mortal', count: 60, size: 3, numbers: 60_000, log }, borrow: true });
    const kept = await within(collect(run.leases()));
    expect(kept.flatMap(({ value }) => numbersOf(value as Batch))).toEqual(Array.from({ length: 60 }, (_, x) => x));
  });

  it('go on where a run was saved', async () => {
    const setting = { name: 'placed', count: 40, size: 4, numbers: 60_000 };
    const first = stacks.run({ params: setting, borrow: true, resumable: { everyMs: 0 } });
    const seen: number[] = [];
    for await (const lease of first.leases()) {
      seen.push(...numbersOf(lease.value as Batch));
      if (seen.length === 12) break;
    }
    const second = stacks.run({ resume: await first.save(), borrow: true });
    seen.push(...(await within(leased(second.leases(), 2))).seen);
    expect(seen).toEqual(Array.from({ length: 40 }, (_, x) => x));
  });

  it('end the run when they are left before the first, or while one is waited for', async () => {
    const setting = { name: 'placed', count: 1e9, size: 2, numbers: 60_000, parallelism: 1 };
    for (const asked of [0, 1]) {
      const run = stacks.run({ params: setting, borrow: true });
      const leases = run.leases()[Symbol.asyncIterator]();
      const waiting = Array.from({ length: asked }, () => leases.next());
      await within(leases.return?.() ?? Promise.reject(new Error('no return')));
      expect((await within(run.finished)).status).toBe('stopped');
      await within(Promise.all(waiting));
    }
  });

  it('come in order where several are asked for at once, each with its own memory', async () => {
    const setting = { name: 'placed', count: 12, size: 2, numbers: 60_000, parallelism: 2 };
    const leases = stacks.run({ params: setting, borrow: true }).leases()[Symbol.asyncIterator]();
    const answers = await within(Promise.all(Array.from({ length: 7 }, () => leases.next())));
    expect(answers.map(({ done }) => done)).toEqual([...Array(6).fill(false), true]);
    const seen = answers.flatMap(({ value }) => (value === undefined ? [] : numbersOf((value as Lease<Batch>).value)));
    expect(seen).toEqual(Array.from({ length: 12 }, (_, x) => x));
  });

  it('are of a run that lends', async () => {
    const run = stacks.run({ params: { name: 'plain' } });
    const failure = await failureOf(async () => run.leases());
    expect(failure).toMatchObject({ code: 'VENTURI_USAGE', remedy: expect.stringContaining('borrow: true') });
    await run.stop();
  });
});
