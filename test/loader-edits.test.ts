import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { argumentChanges } from '../src/appliers/pytorch/constructor-rules.ts';
import { editProgram } from '../src/appliers/pytorch/program-edit.ts';
import type { LoaderChanges } from '../src/model/loader-changes.ts';
import type { LoaderSettings } from '../src/model/loader-facts.ts';
import { rounds } from './fixtures/depth.ts';
import { PROBE, triedTorches } from './fixtures/python.ts';

const SCRIPT = fileURLToPath(new URL('./fixtures/loader_edits.py', import.meta.url));

/** An argument as its author wrote it: what it is with workers, and without. */
interface Written {
  readonly text: string;
  readonly busy: number | boolean | string | null;
  readonly idle: number | boolean | string | null;
}
const written = (text: string, busy: Written['busy'], idle = busy): Written => ({ text, busy, idle });

/** `w` and `args.workers` are the number of workers. */
const PREFETCH = [
  written('4', 4),
  written('None', null),
  written('None if w == 0 else 2', 2, null),
  written('4 if w > 0 else None', 4, null),
  written('2 if not w else 4', 4, 2),
];
const PERSISTENT = [
  written('True', true),
  written('False', false),
  written('w>0', true, false),
  written('bool(w)', true, false),
  written('args.workers > 0', true, false),
];
const TIMEOUT = [written('30', 30), written('60 if w else 0', 60, 0), written('0', 0)];
const CONTEXT = [written('"fork"', 'fork'), written('"fork" if w else None', 'fork', null), written('None', null)];

const maybe = <T>(of: readonly T[]): fc.Arbitrary<T | undefined> =>
  fc.option(fc.constantFrom(...of), { nil: undefined });

const FORMS = [
  'plain',
  'lines',
  'alias',
  'module',
  'partial',
  'options',
  'mixed',
  'subclass',
  'constructor',
  'unnamed',
  'factory',
  'shared',
] as const;

const CASE = fc.record({
  workers: fc.constantFrom(0, 2),
  spelled: fc.constantFrom('literal', 'w', 'args.workers', 'w if w else 0'),
  prefetch: maybe(PREFETCH),
  persistent: maybe(PERSISTENT),
  timeout: maybe(TIMEOUT),
  context: maybe(CONTEXT),
  form: fc.constantFrom(...FORMS),
  isReversed: fc.boolean(),
  ends: fc.constantFrom('\n', '\n\nafter = 1\n', ''),
  changes: fc.record(
    {
      num_workers: fc.constantFrom(0, 1, 3),
      prefetch_factor: fc.constant(4),
      persistent_workers: fc.constant(true),
      in_order: fc.constant(false),
    },
    { requiredKeys: [] },
  ),
});
type Case = typeof CASE extends fc.Arbitrary<infer T> ? T : never;

const HEAD = ['import functools', 'import torch.utils.data', 'from torch.utils.data import DataLoader', ''];

/** The source of a case, and the lines at which the loader is made, the innermost first. */
function program(drawn: Case): { readonly source: string; readonly calls: readonly [line: number, name: string][] } {
  const { workers, spelled, prefetch, persistent, timeout, context, form, ends } = drawn;
  const given = [
    ...(workers === 0 && spelled === 'literal'
      ? []
      : [['num_workers', spelled === 'literal' ? String(workers) : spelled]]),
    ...(prefetch === undefined ? [] : [['prefetch_factor', prefetch.text]]),
    ...(persistent === undefined ? [] : [['persistent_workers', persistent.text]]),
    ...(timeout === undefined ? [] : [['timeout', timeout.text]]),
    ...(context === undefined ? [] : [['multiprocessing_context', context.text]]),
  ] as [string, string][];
  const ordered = drawn.isReversed ? given.reverse() : given;
  const named = ordered.map(([name, value]) => `${name}=${value}`);
  const head = [...HEAD, `w = ${workers}`, 'class args:', `    workers = ${workers}`, 'data = [1, 2, 3]'];
  const half = Math.ceil(named.length / 2);
  const dict = (of: readonly [string, string][]): string =>
    `{${of.map(([name, value]) => `"${name}": ${value}`).join(', ')}}`;
  const value = (name: string): string => ordered.find(([each]) => each === name)?.[1] ?? 'None';
  const one = (call: string, ...first: string[]): [string[], [number, string][]] => [
    [...head, ...first, call],
    [[head.length + first.length + 1, '<module>']],
  ];
  const calls = (...args: string[]): string => `(${args.join(', ')})`;
  const build = (): [string[], [number, string][]] => {
    switch (form) {
      case 'plain':
        return one(`loader = DataLoader${calls('data', ...named)}`);
      case 'lines':
        return one(
          [
            'loader = DataLoader(',
            '    data,  # all (of it',
            ...named.map((text, at) => `    ${text}${at === named.length - 1 ? '' : ','}  # "why"`),
            ')',
          ].join('\n'),
        );
      case 'alias':
        return one(`loader = Loads${calls('data', 'collate_fn=lambda b, n=2: b', ...named)}`, 'Loads = DataLoader');
      case 'module':
        return one(`loader = list([torch.utils.data.DataLoader${calls('dataset=data', ...named)}])[0]`);
      case 'partial':
        return one(
          `loader = make${calls('data', ...named.slice(half))}`,
          `make = functools.partial${calls('DataLoader', ...named.slice(0, half))}`,
        );
      case 'options':
        return one('loader = DataLoader(data, **options)', `options = ${dict(ordered)}`);
      case 'mixed':
        return one(
          `loader = DataLoader${calls('data', ...named.slice(half), '**(options or {})', 'batch_size=2')}`,
          `options = ${dict(ordered.slice(0, half))}`,
        );
      case 'subclass':
        return one(
          `loader = Own${calls('data', ...named)}`,
          'class Own(DataLoader):',
          '    def __len__(self):',
          '        return 3',
        );
      case 'constructor': {
        const lines = [
          ...head,
          'class Own(DataLoader):',
          '    def __init__(self, data):',
          `        super().__init__${calls('data', ...named)}`,
          'loader = Own(data)',
        ];
        return [
          lines,
          [
            [head.length + 3, '__init__'],
            [head.length + 4, '<module>'],
          ],
        ];
      }
      case 'unnamed': {
        const unnamed = ['data', '1', 'False', 'None', 'None', spelled === 'literal' ? String(workers) : spelled];
        const more = timeout === undefined ? [] : ['None', 'False', 'False', value('timeout')];
        const rest = ordered.filter(([name]) => name !== 'num_workers' && name !== 'timeout');
        return one(
          `loader = DataLoader${calls(...unnamed, ...more, ...rest.map(([name, text]) => `${name}=${text}`))}`,
        );
      }
      case 'factory':
      case 'shared': {
        const rest = ordered.filter(([name]) => name !== 'num_workers');
        // Half of the functions ask their parameter, the others what they find.
        const asked = (text: string): string =>
          drawn.isReversed ? text.replace(/\bargs\.workers\b|\bw\b/g, 'workers') : text;
        const lines = [
          ...head,
          'def build(data, workers, size=1):',
          `    return DataLoader${calls('data', 'num_workers=workers', ...rest.map(([name, text]) => `${name}=${asked(text)}`))}`,
          `loader = build(data, ${spelled === 'literal' ? workers : spelled})`,
        ];
        return [
          lines,
          [
            [head.length + 2, 'build'],
            [head.length + 3, '<module>'],
          ],
        ];
      }
    }
  };
  const [lines, lined] = build();
  return { source: lines.join('\n') + ends, calls: lined };
}

/** As the probe reads it off the loader. */
function settingsOf({ workers, prefetch, persistent, timeout, context }: Case, torch: string): LoaderSettings {
  const of = (argument: Written | undefined, none: Written['busy']) =>
    argument === undefined ? none : workers > 0 ? argument.busy : argument.idle;
  const isOld = Number.parseInt(torch, 10) < 2;
  return {
    num_workers: workers,
    prefetch_factor: (of(prefetch, null) ?? (isOld || workers > 0 ? 2 : null)) as number | null,
    persistent_workers: of(persistent, false) as boolean,
    timeout: of(timeout, 0) as number,
    has_context: of(context, null) !== null,
  };
}

interface Outcome {
  readonly ran: number;
  readonly problems: readonly unknown[];
}

for (const { name: torch, python } of triedTorches) {
  describe.skipIf(python === undefined)(`advice for ${torch}`, { timeout: 120_000 }, () => {
    const folder = mkdtempSync(join(tmpdir(), 'venturi-edits-'));
    const version = /[\d.]+/.exec(torch)?.[0] ?? '';
    const cases = fc
      .sample(CASE, { numRuns: rounds(400, 2000), seed: 21 })
      .filter(({ changes }) => Object.keys(changes).length > 0);
    let outcome: { readonly edits: Outcome; readonly trials: Outcome };
    const refused: string[] = [];
    let drawn = 0;

    beforeAll(() => {
      const patches: string[] = [];
      const named: { before: string; file: string; wanted: LoaderChanges }[] = [];
      for (const [at, each] of cases.entries()) {
        const { source, calls } = program(each);
        const settings = settingsOf(each, version);
        const { set } = argumentChanges(each.changes, settings, version);
        const file = `case${at}.py`;
        const { diff } = editProgram({
          changes: each.changes,
          settings,
          torch: version,
          frames: calls.map(([line, name]) => ({ file, line, function: name })),
          library: undefined,
          sourceOf: () => source,
          isShared: ({ function: name }) => each.form === 'shared' && name === 'build',
        });
        if (Object.keys(set).length === 0) continue;
        drawn++;
        if (diff === undefined) {
          if (!isAsWanted(each.changes, settings, Object.keys(set)))
            refused.push(`${JSON.stringify(each.changes)}\n${source}`);
          continue;
        }
        writeFileSync(join(folder, file), source);
        patches.push(`--- ${diff.file}`, `+++ ${diff.file}`, ...diff.lines);
        const wanted = Object.fromEntries(Object.entries(each.changes).filter(([name]) => name in set));
        named.push({ before: source, file, wanted });
      }
      const patched = spawnSync('git', ['apply', '-p0', '--unidiff-zero', '-'], {
        cwd: folder,
        input: `${patches.join('\n')}\n`,
        encoding: 'utf8',
      });
      expect(patched.stderr).toBe('');
      const input = join(folder, 'cases.json');
      writeFileSync(
        input,
        JSON.stringify(
          named.map(({ file, ...rest }) => ({ ...rest, after: readFileSync(join(folder, file), 'utf8') })),
        ),
      );
      const { stdout, stderr } = spawnSync(python ?? '', [SCRIPT, input], {
        encoding: 'utf8',
        env: { ...process.env, PYTHONPATH: PROBE },
        maxBuffer: 2 ** 28,
      });
      if (stdout === '') throw new Error(stderr);
      outcome = JSON.parse(stdout);
    });
    afterAll(() => rmSync(folder, { recursive: true, force: true }));

    it('is a diff that git applies, to a program that runs and sets its loader so, however its call is written', () => {
      expect(outcome.edits.problems.slice(0, 3)).toEqual([]);
      // Arguments are drawn without regard to each other: some of these programs did not run before either.
      expect(outcome.edits.ran).toBeGreaterThan(drawn / 4);
    });

    it('is a diff for every such call', () => {
      expect(refused.slice(0, 3)).toEqual([]);
    });

    it('is set by venturi tune in every combination', () => {
      expect(outcome.trials.problems.slice(0, 3)).toEqual([]);
      expect(outcome.trials.ran).toBeGreaterThan(100);
    });
  });
}

/** Nothing is to be edited where it is so already. */
const isAsWanted = (changes: LoaderChanges, settings: LoaderSettings, names: readonly string[]): boolean =>
  names.every(name => changes[name as keyof LoaderChanges] === settings[name as keyof LoaderSettings]);
