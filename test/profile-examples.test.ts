import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, it } from 'vitest';
import type { LaneDictionary } from '../src/model/profile.ts';
import type { Profile } from '../src/workflow/index.ts';
import { Workshop } from './fixtures/workshop.ts';

const EXAMPLES = fileURLToPath(new URL('../examples/pipelines/', import.meta.url));

const shop = new Workshop();
afterAll(() => shop.remove());

async function profiled(pipeline: string, run: string, ...args: string[]): Promise<Profile> {
  const { code, stdout, stderr } = await shop.venturi('profile', pipeline, '--record', run, '--json', ...args);
  expect(code, stderr).toBe(0);
  return JSON.parse(stdout);
}

/** Dictionaries of a run's lanes, each with the number of samples of its thread. */
function sampledLanes(run: string): (LaneDictionary & { readonly samples: number })[] {
  const folder = shop.path(`${run}.venturi/profile`);
  const threads = new Map<string, number>();
  const counts = new Map<number, number>();
  for (const line of readFileSync(join(folder, 'samples.jsonl'), 'utf8').trimEnd().split('\n')) {
    const { start, stream, samples } = JSON.parse(line);
    if (start !== undefined) threads.set(start[0], start[1]);
    const tid = threads.get(stream);
    if (tid !== undefined) counts.set(tid, (counts.get(tid) ?? 0) + samples.length);
  }
  return readdirSync(folder)
    .filter(name => name.startsWith('lane-'))
    .map((name): LaneDictionary => JSON.parse(readFileSync(join(folder, name), 'utf8')))
    .map(lane => ({ ...lane, samples: counts.get(lane.tid) ?? 0 }));
}

it.each([
  ['images', 'decode', ['decode', 'crop', 'normalise'], ['--param', 'images=24', '--epochs', '12']],
  ['packed-text', 'tokens', ['tokens', 'pack', 'mask'], ['--param', 'sentences=20000', '--epochs', '8']],
])('the functions of %s belong to their operators, on several workers at once', async (name, divided, busy, args) => {
  const settings = ['--set', `${divided}.parallelism=2`, '--param', `folder=${shop.path('data')}`];
  const { operators, rest, samples, lanes } = await profiled(join(EXAMPLES, `${name}.ts`), name, ...args, ...settings);
  const own = sampledLanes(name);
  expect(own).toHaveLength(lanes);
  expect(own.filter(lane => lane.operators.includes(divided) && lane.samples > 0)).toHaveLength(2);
  expect(new Set(own.map(({ tid }) => tid)).size).toBe(lanes);
  for (const operator of busy) {
    const { by } = operators.find(({ id }) => id === operator) ?? {};
    // None of the functions is shared: what they have is theirs by a line or a stack, but for samples whose stack V8 has lost.
    expect((by?.line ?? 0) + (by?.function ?? 0) + (by?.stack ?? 0), operator).toBeGreaterThan(by?.divided ?? 0);
  }
  expect([...operators, ...rest].reduce((sum, { hits }) => sum + hits, 0)).toBeCloseTo(samples);
});

it.each([
  [
    'flips',
    `import { decodeJpeg } from 'venturi/engine';
    import { photographs } from '${EXAMPLES}data/photographs.ts';
    import { randomFlip } from '${EXAMPLES}parts/augment.ts';
    const flip = (image, { rng }) => { let own = image; for (let k = 0; k < 6; k++) own = randomFlip(own, rng); return own; };`,
    `files(photographs(p.folder, 24)).map(readFile, { name: 'read' }).map(decodeJpeg, { name: 'decode' })
      .map(flip, { name: 'flip', parallelism: 2 }).map(flip, { name: 'flip again', parallelism: 2 })`,
    ['flip', 'flip again'],
    '8',
  ],
  [
    'cleaned',
    `import { lines } from 'venturi/engine';
    import { prose } from '${EXAMPLES}data/prose.ts';
    const clean = line => line.toUpperCase().split(' ').reverse().join(' ').toLowerCase();`,
    `lines(prose(p.folder, 20000)).map(clean, { name: 'clean', parallelism: 2 }).map(clean, { name: 'clean again', parallelism: 2 })`,
    ['clean', 'clean again'],
    '8',
  ],
])(
  'a function of two operators is divided between them, on several workers at once: %s',
  async (name, head, graph, both, epochs) => {
    const pipeline = shop.pipeline(`${name}.mjs`, graph, head, `{ folder: ${JSON.stringify(shop.path('data'))} }`);
    const { operators, rest, shared, samples } = await profiled(pipeline, name, '--epochs', epochs);
    const [first = '', second = ''] = both;
    expect(sampledLanes(name).filter(lane => lane.operators.includes(first) && lane.samples > 0)).toHaveLength(2);
    expect(shared.map(group => group.operators)).toContainEqual([first, second]);
    for (const id of both) {
      const { by, hits = 0, band, share = 0 } = operators.find(each => each.id === id) ?? {};
      expect(by?.divided, id).toBeGreaterThan(0);
      expect(hits, id).toBeCloseTo((by?.line ?? 0) + (by?.function ?? 0) + (by?.stack ?? 0) + (by?.divided ?? 0));
      expect((band?.low ?? 1) <= share && share <= (band?.high ?? 0), id).toBe(true);
    }
    const divided = operators.reduce((sum, { by }) => sum + by.divided, 0);
    expect(divided).toBeCloseTo(shared.reduce((sum, { hits }) => sum + hits, 0));
    expect([...operators, ...rest].reduce((sum, { hits }) => sum + hits, 0)).toBeCloseTo(samples);
  },
);
