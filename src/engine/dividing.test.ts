import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { rounds } from '../../test/fixtures/depth.ts';
import { chunkElements, options, slots } from './fixtures/described-runs.fixture.ts';
import dividing from './fixtures/dividing.fixture.ts';
import { collect, within } from './fixtures/outcome.fixture.ts';
import { ScratchFolder } from './fixtures/scratch-folder.fixture.ts';
import { archive, entry } from './sources/tar-writer.fixture.ts';
import { record } from './sources/tfrecord-writer.fixture.ts';

const folder = new ScratchFolder();
afterAll(() => folder.remove());

const lengths = Array.from({ length: 60 }, (_, at) => (at * 7919) % 50_000);
function write(name: string, bytes: Uint8Array): string {
  const path = join(folder.path, name);
  writeFileSync(path, bytes);
  return path;
}
const records = write('records', Buffer.concat(lengths.map((length, at) => record(new Uint8Array(length).fill(at)))));
const few = write('few', record(new Uint8Array(20)));
const shard = write(
  'shard.tar',
  archive(
    ...lengths.map((length, at) => entry(`${at >> 1}.${at % 2 === 0 ? 'a' : 'b'}`, String(at % 10).repeat(length))),
  ),
);
const rows = lengths.map((length, at) => `${at},"${'x'.repeat(length)}\n""${at}"""\n`);
const table = write('table.csv', Buffer.from(`number,text\n${rows.join('')}`));
const FILES: Record<string, string[]> = {
  tfrecords: [records, few, records],
  csv: [table, table],
  tar: [shard, shard],
  webdataset: [shard, shard],
};

describe('a source that is read in parts gives the same elements in the same order', () => {
  it.each(Object.keys(FILES))('%s', async source => {
    const params = { source, paths: JSON.stringify(FILES[source]), passes: 2 };
    const expected = await collect(dividing.run({ params, parallelism: 0 }));
    expect(expected.length).toBeGreaterThan(60);
    const property = fc.asyncProperty(
      fc.integer({ min: 1, max: 4 }),
      fc.record({ chunkElements, slots }),
      fc.boolean(),
      async (parallelism, settings, inline) => {
        const plan = { shape: undefined, actions: [{ kind: 'divide' as const, operator: source, parallelism }] };
        const run = dividing.run({ params, plan, ...options(settings), ...(inline ? { parallelism: 0 } : {}) });
        expect(await within(collect(run))).toEqual(expected);
      },
    );
    await fc.assert(property, { seed: 31, numRuns: rounds(3, 8) });
  });
});
