import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Checkpoint, type RunOptions, readCheckpoint, writeCheckpoint } from 'venturi/engine';
import { afterAll, describe, expect, it } from 'vitest';
import { collect, failureOf } from './fixtures/outcome.fixture.ts';
import resuming from './fixtures/resuming.fixture.ts';
import { sealed, unsealed } from './runtime/checkpoint/checkpoint-record.ts';

const folder = mkdtempSync(join(tmpdir(), 'resuming-'));
afterAll(() => rmSync(folder, { recursive: true }));
const text = join(folder, 'text.txt');
writeFileSync(text, Array.from({ length: 9 }, (_, line) => `line ${line}\n`).join(''));

type Params = NonNullable<Parameters<typeof resuming.run>[0]>['params'] & object;

const OFTEN: RunOptions = { resumable: { everyMs: 0 } };
const INLINE: RunOptions = { ...OFTEN, parallelism: 0 };

/** The checkpoint after `count` elements, by way of JSON, and the elements until then. */
async function savedAfter(
  count: number,
  params: Params,
  options: RunOptions = INLINE,
): Promise<[Checkpoint, unknown[]]> {
  const run = resuming.run({ ...options, params });
  const elements: unknown[] = [];
  if (count > 0) {
    for await (const element of run) {
      elements.push(element);
      if (elements.length < count) continue;
      const saved = JSON.parse(JSON.stringify(await run.save())) as Checkpoint;
      return [saved, elements];
    }
  }
  const saved = JSON.parse(JSON.stringify(await run.save())) as Checkpoint;
  await run.stop();
  return [saved, elements];
}

describe('what operators keep survives', () => {
  it.each([
    'window',
    'apart',
    'grouped',
    'padded',
    'stacked',
    'sharded',
    'flat',
    'flatText',
    'nested',
    'objects',
    'savedSums',
    'sums',
    'sumsOverPasses',
    'squares',
    'opened',
    'givenUp',
    'perWorker',
    'divided',
    'appended',
  ])('%s', async name => {
    const params = { name, file: text, count: name === 'opened' ? 15 : 60 };
    const all = await collect(resuming.run({ params, parallelism: 0 }));
    expect(all.length).toBeGreaterThan(10);
    for (const chunkElements of [1, 3, 100]) {
      for (const count of [0, 1, 7, Math.floor(all.length / 2), all.length - 1, all.length]) {
        const [saved, first] = await savedAfter(count, params, { ...INLINE, chunkElements });
        const rest = await collect(resuming.run({ resume: saved, parallelism: 0, chunkElements: 2 }));
        expect([...first, ...rest], `after ${count}, ${chunkElements} at a time`).toEqual(all);
      }
    }
  });

  it.each(['flat', 'flatText', 'savedSums', 'opened', 'perWorker', 'divided', 'appended', 'left'])(
    '%s, on threads and on other ones',
    async name => {
      const params = { name, file: text, count: 300 };
      const all = await collect(resuming.run({ params, parallelism: 0 }));
      const [saved, first] = await savedAfter(Math.floor(all.length / 2), params, { ...OFTEN, chunkElements: 3 });
      const set: RunOptions['set'] =
        name === 'divided'
          ? { one: { parallelism: 2 }, two: { parallelism: 2 }, three: { parallelism: 2 } }
          : name === 'perWorker'
            ? { double: { parallelism: 3 } }
            : {};
      expect([...first, ...(await collect(resuming.run({ resume: saved, set, slots: 2 })))]).toEqual(all);
      expect([...first, ...(await collect(resuming.run({ resume: saved, parallelism: 0 })))]).toEqual(all);
    },
  );
});

describe('resuming', () => {
  it('does not make again what lies before the last snapshots', async () => {
    const log = join(folder, 'squares.log');
    writeFileSync(log, '');
    const params = { name: 'squares', count: 1000, log };
    const [saved] = await savedAfter(900, params, { ...INLINE, chunkElements: 10 });
    writeFileSync(log, '');
    const rest = await collect(resuming.run({ resume: saved, parallelism: 0 }));
    expect(rest.length).toBe(1100);
    const made = readFileSync(log, 'utf8').trim().split('\n').length;
    // The rest of the first pass and all of the second, and less than two chunks of what went before.
    expect(made).toBeLessThan(1100 + 20 + 6);
  });

  it('starts a pass over where an operator keeps more than a checkpoint should hold', async () => {
    const params = { name: 'large', count: 60 };
    const all = await collect(resuming.run({ params, parallelism: 0 }));
    const [saved, first] = await savedAfter(80, params);
    expect(saved.operators.shuffle?.out).toEqual([1, 0]);
    expect(saved.operators['shuffle/map/repeat']?.inputs).toEqual([{ from: [1, 0], until: [1, 20] }]);
    // Base64 is a third longer.
    expect(JSON.stringify(saved).length).toBeLessThan(1.4 * 32 * 2 ** 20);
    expect([...first, ...(await collect(resuming.run({ resume: saved, parallelism: 0 })))]).toEqual(all);
  });

  it('goes through everything again where no snapshots were made, and gives the rest all the same', async () => {
    const params = { name: 'squares', count: 50 };
    const all = await collect(resuming.run({ params, parallelism: 0 }));
    const [saved, first] = await savedAfter(60, params, { parallelism: 0 });
    expect(saved.consumer).toEqual({ from: [0, 0], until: [1, 10] });
    expect([...first, ...(await collect(resuming.run({ resume: saved, parallelism: 0 })))]).toEqual(all);
  });

  it('takes parameters, seed and epochs from the checkpoint', async () => {
    const params = { name: 'nested', count: 30 };
    const options = { params, seed: 7, epochs: 2 };
    const all = await collect(resuming.run({ ...options, parallelism: 0 }));
    const run = resuming.run({ ...options, ...INLINE });
    const first: unknown[] = [];
    for await (const element of run) if (first.push(element) === 11) break;
    const saved = await run.save();
    expect([saved.seed, saved.epochs, saved.params, saved.elements]).toEqual([
      7,
      2,
      { ...params, log: '', file: '' },
      11,
    ]);
    expect([...first, ...(await collect(resuming.run({ resume: saved })))]).toEqual(all);
  });

  it('counts the elements of the run, and in the checkpoint those of all runs', async () => {
    const params = { name: 'squares', count: 30 };
    for (const options of [INLINE, OFTEN]) {
      const [saved] = await savedAfter(13, params, options);
      const run = resuming.run({ ...options, resume: saved });
      expect(await run.drain()).toMatchObject({ elements: 60 - 13, status: 'completed' });
      expect((await run.save()).elements).toBe(60);
    }
  });

  it('gives sinks their elements at least once, and few of them twice', async () => {
    const log = join(folder, 'consumed.log');
    writeFileSync(log, '');
    const params = { name: 'consumed', count: 2000, log };
    const run = resuming.run({ params, ...OFTEN, chunkElements: 10 });
    const drained = run.drain();
    while (readFileSync(log, 'utf8').length < 3000) await new Promise(resolve => setTimeout(resolve, 2));
    await run.stop();
    await drained;
    const saved = await run.save();
    const before = readFileSync(log, 'utf8').trim().split('\n').length;
    await resuming.run({ resume: saved }).drain();
    const seen = readFileSync(log, 'utf8').trim().split('\n').map(Number);
    expect(new Set(seen).size).toBe(2000);
    expect(seen.length).toBeLessThan(2000 + before);
  });

  it('gives a sink beside others everything again, and the others the rest', async () => {
    const log = join(folder, 'beside.log');
    writeFileSync(log, '');
    const params = { name: 'beside', log };
    const [saved, first] = await savedAfter(15, params);
    const rest = await collect(resuming.run({ resume: saved, parallelism: 0 }));
    expect([...first, ...rest]).toEqual(Array.from({ length: 40 }, (_, at) => 2 * (at + 1)));
    expect(new Set(readFileSync(log, 'utf8').trim().split('\n').map(Number)).size).toBe(40);
  });

  it('gives a sink beside others, on threads, only some of it again', async () => {
    const log = join(folder, 'beside-threads.log');
    writeFileSync(log, '');
    const params = { name: 'beside', count: 4000, log };
    const [saved, first] = await savedAfter(3000, params, { ...OFTEN, chunkElements: 10 });
    const before = readFileSync(log, 'utf8').trim().split('\n').length;
    const rest = await collect(resuming.run({ resume: saved }));
    expect([...first, ...rest]).toEqual(Array.from({ length: 4000 }, (_, at) => 2 * (at + 1)));
    const seen = readFileSync(log, 'utf8').trim().split('\n').map(Number);
    expect(new Set(seen).size).toBe(4000);
    expect(seen.length).toBeLessThan(before + 4000);
  });

  it('writes a file of the whole pass, not of the rest', async () => {
    const file = join(folder, 'written.txt');
    const params = { name: 'written', count: 5000, file };
    const run = resuming.run({ params, ...OFTEN, chunkElements: 10 });
    const drained = run.drain();
    await new Promise(resolve => setTimeout(resolve, 100));
    const saved = await run.save();
    await run.stop();
    await drained;
    if (existsSync(file)) rmSync(file);
    await resuming.run({ resume: saved }).drain();
    expect(readFileSync(file, 'utf8').split('\n').length).toBe(5001);
  });

  it('says that a function is not what it was', async () => {
    const [saved] = await savedAfter(3, { name: 'divided' });
    expect((await resuming.run({ resume: saved, parallelism: 0 }).drain()).warnings).toEqual([]);
    const { digest: _, ...facts } = saved;
    const functions = { ...saved.functions, two: 'another text' };
    const other = sealed({ ...facts, functions }, unsealed(saved).line);
    expect((await resuming.run({ resume: other, parallelism: 0 }).drain()).warnings).toEqual([
      expect.stringContaining("The function of 'two'"),
    ]);
  });
});

describe('an operator of one’s own that fails to save or load fails the run, which names it', () => {
  it.each([{ parallelism: 0 as const }, {}])('%j', async options => {
    const unsaved = resuming.run({ ...options, ...OFTEN, params: { name: 'unsaved' } });
    expect(await failureOf(collect(unsaved))).toMatchObject({
      code: 'VENTURI_USER_FUNCTION',
      message: expect.stringContaining("'stubborn'"),
    });
    const [saved] = await savedAfter(20, { name: 'unloaded' }, { ...INLINE, chunkElements: 1 });
    expect(await failureOf(collect(resuming.run({ ...options, resume: saved })))).toMatchObject({
      code: 'VENTURI_USER_FUNCTION',
      message: expect.stringContaining('no loading'),
    });
  });
});

describe('a checkpoint is refused', () => {
  const refusal = (resume: unknown, options: RunOptions = {}): Promise<string> =>
    failureOf(() => resuming.run({ ...options, resume: resume as Checkpoint, parallelism: 0 })).then(
      ({ code }) => code,
    );

  it('where it is of another pipeline, of other settings, epochs or seed', async () => {
    const [saved] = await savedAfter(3, { name: 'flat' });
    expect(await refusal(saved, { params: { name: 'window' } })).toBe('VENTURI_CHECKPOINT_DIFFERS');
    expect(await refusal(saved, { params: { count: 41 } })).toBe('VENTURI_CHECKPOINT_DIFFERS');
    expect(await refusal(saved, { epochs: 2 })).toBe('VENTURI_CHECKPOINT_DIFFERS');
    expect(await refusal(saved, { seed: 1 })).toBe('VENTURI_CHECKPOINT_DIFFERS');
  });

  it('where it was changed, cut short, or is none', async () => {
    const [saved] = await savedAfter(3, { name: 'flat' });
    expect(await refusal({ ...saved, elements: 4 })).toBe('VENTURI_CHECKPOINT_UNREADABLE');
    expect(await refusal({ ...saved, operators: {} })).toBe('VENTURI_CHECKPOINT_UNREADABLE');
    expect(await refusal({})).toBe('VENTURI_CHECKPOINT_UNREADABLE');
    expect(await refusal('checkpoint')).toBe('VENTURI_CHECKPOINT_UNREADABLE');
    expect(await refusal({ ...saved, version: saved.version + 1 })).toBe('VENTURI_CHECKPOINT_TOO_NEW');
  });

  it('where the files are not what they were', async () => {
    const own = join(folder, 'own.txt');
    writeFileSync(own, 'one\ntwo\nthree\n');
    const described = await import('./fixtures/described.fixture.ts');
    const nodes = [{ source: { kind: 'lines', paths: [own] } }];
    const params = { description: JSON.stringify({ nodes }) };
    const run = described.default.run({ params, parallelism: 0 });
    for await (const _ of run) break;
    const saved = await run.save();
    expect(await collect(described.default.run({ resume: saved, parallelism: 0 }))).toEqual(['two', 'three']);
    appendFileSync(own, 'four\n');
    const failure = await failureOf(() => described.default.run({ resume: saved, parallelism: 0 }));
    expect([failure.code, failure.message]).toEqual(['VENTURI_CHECKPOINT_STALE', expect.stringContaining("'lines'")]);
  });

  it('where an iterable has fewer elements than it had given', async () => {
    const described = await import('./fixtures/described.fixture.ts');
    const graph = { nodes: [{ source: { kind: 'generator', values: [1, 2, 3] } }] };
    const params = { description: JSON.stringify(graph) };
    const run = described.default.run({ params, ...INLINE });
    let seen = 0;
    for await (const _ of run) if (++seen === 3) break;
    const saved = await run.save();
    const shorter = { description: JSON.stringify({ nodes: [{ source: { kind: 'generator', values: [1] } }] }) };
    const resumed = described.default.run({ resume: saved, params: shorter, parallelism: 0 });
    expect((await failureOf(collect(resumed))).code).toBe('VENTURI_CHECKPOINT_STALE');
  });
});

describe('a checkpoint in a file', () => {
  it('is what was written, and replaces the one before', async () => {
    const path = join(folder, 'a.json');
    const [one] = await savedAfter(3, { name: 'flat' });
    const [two] = await savedAfter(5, { name: 'flat' });
    writeCheckpoint(path, one);
    writeCheckpoint(path, two);
    expect(readCheckpoint(path)).toEqual(two);
  });

  it('is refused where it is missing, cut short or something else', async () => {
    const path = join(folder, 'b.json');
    expect((await failureOf(() => readCheckpoint(path))).code).toBe('VENTURI_CHECKPOINT_UNREADABLE');
    const [saved] = await savedAfter(3, { name: 'flat' });
    writeCheckpoint(path, saved);
    const whole = readFileSync(path).length;
    for (const length of [0, 1, 100, whole - 2]) {
      truncateSync(path, length);
      expect((await failureOf(() => readCheckpoint(path))).code).toBe('VENTURI_CHECKPOINT_UNREADABLE');
      writeCheckpoint(path, saved);
    }
    writeFileSync(path, '{"format":"something else"}');
    expect((await failureOf(() => readCheckpoint(path))).code).toBe('VENTURI_CHECKPOINT_UNREADABLE');
  });
});
