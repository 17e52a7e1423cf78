import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { LoaderSummary } from '../src/workflow/index.ts';
import { anyPython, IDENTITIES, PROBE, triedTorches } from './fixtures/python.ts';
import { PATIENCE } from './fixtures/torch-workshop.ts';
import { type Finished, Workshop } from './fixtures/workshop.ts';

/** What the loaders of each function of `identities.py` are called, their batches, and how often they are gone through. */
const SCENARIOS: Readonly<Record<string, readonly (readonly [string, number, number])[]>> = {
  one_line_factory: [
    ['train_loader', 5, 1],
    ['val_loader', 3, 1],
  ],
  two_on_a_line: [
    ['warm_up', 2, 1],
    ['cool_down', 2, 1],
  ],
  tuple_returned: [
    ['first_loader', 2, 1],
    ['other_half', 3, 1],
  ],
  splits: [
    ['fit', 6, 2],
    ['tune', 4, 2],
    ['final', 4, 2],
  ],
  unpacked_list: [
    ['early', 2, 1],
    ['late', 2, 1],
  ],
  alternatives: [['chosen', 2, 1]],
  every_epoch: [
    ['epoch_loader', 9, 3],
    ['fresh_loader', 6, 3],
  ],
  folds: [['fold_loader', 12, 4]],
  // Both datasets are still there when the other one's loader is made.
  split_by_split: [
    ['Numbers', 12, 2],
    ['Numbers 2', 8, 2],
  ],
  from_two_places: [['scoring_loader', 4, 2]],
  parts_of_one: [
    ['Numbers 3', 4, 1],
    ['Numbers 4', 2, 1],
  ],
  attributes: [
    ['practice_dl', 4, 1],
    ['exam_dl', 1, 1],
  ],
  own_class: [['special', 2, 1]],
  nameless: [
    ['val: Folder', 2, 1],
    ['test: Flagged', 2, 1],
    ['Numbers 5', 4, 1],
  ],
  handed_on: [
    ['train: Folder', 2, 1],
    ['data_loader_test', 1, 1],
  ],
  generic: [['loader', 2, 1]],
  generic_too: [['Numbers 6', 1, 1]],
  by_library: [
    ['loader_eval', 2, 1],
    ['mine', 3, 1],
  ],
  by_trainer: [
    ['train: Numbers', 8, 2],
    ['eval: Numbers', 6, 3],
  ],
};

describe.skipIf(anyPython === undefined)('the names of things in the source that makes them', () => {
  const script = fileURLToPath(new URL('./fixtures/probe_naming.py', import.meta.url));
  let workshop: Workshop;
  beforeAll(() => {
    workshop = new Workshop();
  });
  afterAll(() => workshop.remove());
  const run = async (env: Record<string, string>) => {
    const options = { env: { PYTHONPATH: PROBE, PYTHONWARNINGS: 'always', ...env } };
    const { code, stdout, stderr } = await workshop.start(anyPython ?? '', [script], options).finished;
    expect(code, stderr).toBe(0);
    return { wrong: JSON.parse(stdout) as [string, string[]][], stderr };
  };

  it('are found, and the source is read without a warning of its own', async () => {
    const { wrong, stderr } = await run({});
    expect(stderr.match(/invalid escape sequence/g)).toHaveLength(1);
    const { stdout: version } = await workshop.start(anyPython ?? '', [
      '-c',
      'import sys; print(sys.version_info >= (3, 11))',
    ]).finished;
    if (version.trim() === 'True') expect(wrong).toEqual([]);
  });

  it('are left out, not made up, where Python does not tell one call in a line from another', async () => {
    const { wrong } = await run({ PYTHONNODEBUGRANGES: '1' });
    expect(wrong.filter(([, names]) => names.length > 0)).toEqual([]);
  });
});

for (const { name: torch, python = '' } of triedTorches) {
  describe.skipIf(python === '')(`the loaders of a program on ${torch}`, { timeout: PATIENCE }, () => {
    let workshop: Workshop;
    let plain: Finished;
    let recorded: Finished;
    let loaders: readonly LoaderSummary[];
    const program = [python, IDENTITIES, ...Object.keys(SCENARIOS)];
    const loadersOf = async (name: string): Promise<readonly LoaderSummary[]> =>
      (await workshop.info(name)).batches?.loaders ?? [];
    const named = (wanted: string): LoaderSummary | undefined => loaders.find(({ name }) => name === wanted);

    beforeAll(async () => {
      workshop = new Workshop();
      [plain, recorded] = await Promise.all([
        workshop.start(python, program.slice(1)).finished,
        workshop.venturi('record', '--no-costs', '--out', 'first', '--', ...program),
      ]);
      loaders = await loadersOf('first');
    }, PATIENCE);
    afterAll(() => workshop.remove());

    it('are told apart, and named as their author or their data names them', () => {
      expect(plain.code, plain.stderr).toBe(0);
      expect(recorded).toMatchObject({ code: 0, stdout: plain.stdout });
      const seen = loaders.map(({ name, batches, passes }) => [name, batches, passes.length]);
      expect(seen).toEqual(Object.values(SCENARIOS).flat());
    });

    it('say where the author made them, and which library did or did so again', () => {
      const lines = readFileSync(IDENTITIES, 'utf8').split('\n');
      const lineOf = (text: string): number => lines.findIndex(line => line.includes(text)) + 1;
      for (const { location, stack } of loaders) {
        expect(location).toMatch(new RegExp(`^${IDENTITIES}:\\d+$`));
        expect(stack.map(({ file }) => file)).toEqual(stack.map(() => IDENTITIES));
        expect(stack.at(-1)?.function).toBe('<module>');
      }
      expect(named('val_loader')?.stack.slice(0, 2)).toEqual([
        {
          file: IDENTITIES,
          function: 'build',
          line: lineOf('return DataLoader(dataset, batch_size=batch_size)'),
          text: 'return DataLoader(dataset, batch_size=batch_size)',
        },
        {
          file: IDENTITIES,
          function: 'one_line_factory',
          line: lineOf('val_loader = build('),
          text: 'val_loader = build(Numbers(12), 4)',
        },
      ]);
      const made = (name: string) => [named(name)?.library, named(name)?.remadeBy, named(name)?.stack[0]?.function];
      expect(made('val_loader')).toEqual([undefined, undefined, 'build']);
      expect(made('loader_eval')).toEqual(['pretended', undefined, 'by_library']);
      expect(made('mine')).toEqual([undefined, 'pretended_ranks', 'by_library']);
      expect(made('eval: Numbers')).toEqual(['pretended', 'pretended_ranks', 'by_trainer']);
    });

    it('have keys that another run knows them by, without their folders where that is asked for', async () => {
      const keys = loaders.map(({ key }) => key);
      expect(new Set(keys).size).toBe(loaders.length);
      const chosen = ['val_loader', 'cool_down', 'tune', 'fresh_loader', 'eval: Numbers'];
      const changes = Object.fromEntries(chosen.map(name => [named(name)?.key, { num_workers: 1 }]));
      const env = { VENTURI_LOADERS: JSON.stringify(changes) };
      const args = ['record', '--no-costs', '--redact', '--out', 'second', '--', ...program];
      const again = await workshop.startVenturi(args, { env }).finished;
      expect(again, again.stderr).toMatchObject({ code: 0, stdout: plain.stdout });
      const second = await loadersOf('second');
      expect(second.map(({ name }) => name)).toEqual(loaders.map(({ name }) => name));
      expect(second.map(({ key }) => key)).toEqual(keys);
      expect(second.filter(({ workers }) => workers === 1).map(({ name }) => name)).toEqual(chosen);
      for (const { location, stack } of second) {
        expect(location).toMatch(/^identities\.py:\d+$/);
        for (const { file, text } of stack) expect([file, text]).toEqual([basename(IDENTITIES), undefined]);
      }
    });
  });
}
