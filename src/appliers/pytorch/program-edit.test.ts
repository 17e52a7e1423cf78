import { describe, expect, it } from 'vitest';
import type { LoaderChanges } from '../../model/loader-changes.ts';
import type { LoaderSettings } from '../../model/loader-facts.ts';
import type { SourceFrame } from './call-level.ts';
import { editProgram, type LoaderToEdit, type ProgramEdit } from './program-edit.ts';

const BUSY: LoaderSettings = {
  num_workers: 2,
  prefetch_factor: 2,
  persistent_workers: false,
  timeout: 0,
  has_context: false,
};

const edited = (
  source: string,
  at: number | readonly SourceFrame[],
  changes: LoaderChanges,
  more: Partial<LoaderToEdit> = {},
): ProgramEdit =>
  editProgram({
    changes,
    settings: BUSY,
    torch: '2.15.0',
    frames: typeof at === 'number' ? [{ file: 'train.py', line: at, function: '<module>' }] : at,
    library: undefined,
    sourceOf: () => source,
    isShared: () => false,
    ...more,
  });

const diff = (...all: Parameters<typeof edited>): string | undefined => edited(...all).diff?.lines.join('\n');
const added = (...all: Parameters<typeof edited>): string[] | undefined =>
  edited(...all).diff?.lines.filter(line => line.startsWith('+'));

describe('an edit of the call that makes a loader', () => {
  it('replaces what is there and adds what is not', () => {
    const source = ['import x', 'loader = DataLoader(data, batch_size=8, num_workers=0)', 'use(loader)', ''].join('\n');
    expect(diff(source, 2, { num_workers: 4, prefetch_factor: 4 })).toMatchInlineSnapshot(`
      "@@ -1,3 +1,3 @@
       import x
      -loader = DataLoader(data, batch_size=8, num_workers=0)
      +loader = DataLoader(data, batch_size=8, num_workers=4, prefetch_factor=4)
       use(loader)"
    `);
  });

  it('keeps the form of a call on several lines, its comments and its last comma', () => {
    const source = [
      'train = torch.utils.data.DataLoader(',
      '    data,  # all (of it',
      '    num_workers=min(4, cpus()),',
      '    collate_fn=lambda b: (b, ")"),',
      ')',
    ].join('\n');
    expect(diff(source, 1, { num_workers: 8, persistent_workers: true })).toMatchInlineSnapshot(`
      "@@ -1,5 +1,6 @@
       train = torch.utils.data.DataLoader(
           data,  # all (of it
      -    num_workers=min(4, cpus()),
      -    collate_fn=lambda b: (b, ")"),
      +    num_workers=8,
      +    collate_fn=lambda b: (b, ")"),
      +    persistent_workers=True,
       )
      \\ No newline at end of file"
    `);
  });

  it('takes away with the last worker what only workers may have', () => {
    const source = 'loader = DataLoader(data, num_workers=w, persistent_workers=w>0, prefetch_factor=4, timeout=9)\n';
    expect(added(source, 1, { num_workers: 0 })).toEqual(['+loader = DataLoader(data, num_workers=0)']);
    const lines = ['loader = DataLoader(', '    data, num_workers=w,', '    persistent_workers=w>0,  # keep', ')', ''];
    expect(diff(lines.join('\n'), 1, { num_workers: 0, persistent_workers: true })).toMatchInlineSnapshot(`
      "@@ -1,4 +1,3 @@
       loader = DataLoader(
      -    data, num_workers=w,
      -    persistent_workers=w>0,  # keep
      +    data, num_workers=0,
       )"
    `);
  });

  it('puts into a dictionary of arguments what it may hold', () => {
    expect(added('loader = DataLoader(data, **options)\n', 1, { num_workers: 4 })).toEqual([
      '+loader = DataLoader(data, **{**options, "num_workers": 4})',
    ]);
    const persistent = { settings: { ...BUSY, persistent_workers: true } };
    expect(added('loader = DataLoader(data, **(a or b))\n', 1, { num_workers: 0 }, persistent)).toEqual([
      '+loader = DataLoader(data, **{**((a or b)), "num_workers": 0, "prefetch_factor": None, "persistent_workers": False})',
    ]);
    const old = { ...persistent, torch: '1.13.0' };
    expect(added('loader = DataLoader(data, **options)\n', 1, { num_workers: 0 }, old)).toEqual([
      '+loader = DataLoader(data, **{**options, "num_workers": 0, "persistent_workers": False})',
    ]);
  });

  it('replaces a setting that stands without its name, and leaves others', () => {
    expect(added('loader = DataLoader(data, 8, True, None, None, 2)\n', 1, { num_workers: 4 })).toEqual([
      '+loader = DataLoader(data, 8, True, None, None, 4)',
    ]);
    expect(added('loader = DataLoader(data, 8, True)\n', 1, { num_workers: 4 })).toEqual([
      '+loader = DataLoader(data, 8, True, num_workers=4)',
    ]);
  });

  it('finds the call among others on its line', () => {
    expect(
      added('loader = DeviceLoader(DataLoader(Folder("#a"), num_workers=2), device)\n', 1, { num_workers: 4 }),
    ).toEqual(['+loader = DeviceLoader(DataLoader(Folder("#a"), num_workers=4), device)']);
    expect(added('train, val = DataLoader(a), DataLoader(b)\n', 1, { num_workers: 4 })).toBeUndefined();
  });

  it("gives a library's function what it takes", () => {
    const source = 'loader = create_loader(data, (3, 32, 32), 8, is_training=True)\n';
    const settings = { ...BUSY, persistent_workers: true };
    expect(added(source, 1, { num_workers: 4 })).toEqual([
      '+loader = create_loader(data, (3, 32, 32), 8, is_training=True, num_workers=4)',
    ]);
    expect(added(source, 1, { num_workers: 0 }, { settings })).toEqual([
      '+loader = create_loader(data, (3, 32, 32), 8, is_training=True, num_workers=0, persistent_workers=False)',
    ]);
    expect(edited(source, 1, { prefetch_factor: 4 }, { library: 'timm.data' })).toMatchObject({
      diff: undefined,
      advice: ['Give it prefetch_factor=4 through timm.data, which makes the loader.'],
    });
  });

  it('does not set what this torch has no argument for', () => {
    const changes = { num_workers: 4, in_order: false };
    expect(added('loader = DataLoader(data)\n', 1, changes, { torch: '2.5.1' })).toEqual([
      '+loader = DataLoader(data, num_workers=4)',
    ]);
    expect(added('loader = DataLoader(data)\n', 1, changes)).toEqual([
      '+loader = DataLoader(data, num_workers=4, in_order=False)',
    ]);
  });

  it.each([
    ['a list of arguments handed through', 'loader = DataLoader(*both)'],
    ['two dictionaries', 'loader = DataLoader(data, **a, **b)'],
    ['no call on that line', 'loader = build(options)'],
    ['a call that does not end', 'loader = DataLoader(data, ('],
  ])('is words, and no diff, for %s', (_, source) => {
    const { diff: none, advice } = edited(source, 1, { num_workers: 4 });
    expect(none).toBeUndefined();
    expect(advice).toEqual(['Give it num_workers=4 where the loader is made.']);
  });

  it('says in words too what only workers may have', () => {
    const settings = { ...BUSY, prefetch_factor: 8, persistent_workers: true };
    expect(edited('loader = build()', 1, { num_workers: 0, prefetch_factor: 4 }, { settings }).advice).toEqual([
      'Give it num_workers=0 where the loader is made, and neither prefetch_factor nor persistent_workers: only workers may have them.',
    ]);
  });
});

describe('a loader that a function of the author makes', () => {
  const source = [
    'def build(data, size, workers=2):',
    '    return DataLoader(data, size, num_workers=workers, persistent_workers=workers > 0)',
    'train = build(a, 32)',
    'val = build(b, 64, workers=args.workers)',
    '',
  ].join('\n');
  const made = (line: number): SourceFrame[] => [
    { file: 'train.py', line: 2, function: 'build' },
    { file: 'train.py', line, function: '<module>' },
  ];
  const isShared = ({ line }: SourceFrame): boolean => line === 2;

  it('is set at the line that asks for it, where the other line makes others too', () => {
    expect(added(source, made(3), { num_workers: 0 }, { isShared })).toEqual(['+train = build(a, 32, workers=0)']);
    expect(added(source, made(4), { num_workers: 4 }, { isShared })).toEqual(['+val = build(b, 64, workers=4)']);
    expect(added(source, made(4), { num_workers: 4 })?.[0]).toContain(
      'size, num_workers=4, persistent_workers=workers > 0',
    );
  });

  it('is set where it is made if the function makes something else of its parameter', () => {
    const other = [
      'def build(data, workers):',
      '    workers = min(workers, 4)',
      '    return DataLoader(data, num_workers=workers)',
      'train = build(a, 2)',
      '',
    ];
    const frames = [3, 4].map(
      (line): SourceFrame => ({ file: 'train.py', line, function: line === 3 ? 'build' : '<module>' }),
    );
    const shared = { isShared: ({ line }: SourceFrame) => line === 3 };
    expect(added(other.join('\n'), frames, { num_workers: 8 }, shared)).toEqual([
      '+    return DataLoader(data, num_workers=8)',
    ]);
  });

  it('needs no edit of what follows from the number of workers', () => {
    const changes = { num_workers: 4, persistent_workers: true };
    expect(added(source, made(3), changes, { isShared })).toEqual(['+train = build(a, 32, workers=4)']);
    expect(edited(`parser.add_argument("--workers")\n${source}`, [], changes).options).toBeUndefined();
    const asked = made(4).map(frame => ({ ...frame, line: frame.line + 1 }));
    expect(edited(`parser.add_argument("--workers")\n${source}`, asked, changes).options).toBe('--workers 4');
  });

  it('is set where it is made if the function has no parameter for it, with a word about the others', () => {
    const { diff: own, advice } = edited(source, made(4), { num_workers: 4, prefetch_factor: 4 }, { isShared });
    expect(own).toMatchObject({ line: 2 });
    expect(advice[0]).toContain('makes other loaders too');
  });
});

describe('options of the program', () => {
  const parser = [
    'parser.add_argument("-j", "--data-workers", dest="workers", type=int)',
    'parser.add_argument("--keep", action="store_true")',
  ];
  const call = (text: string): string => [...parser, text, ''].join('\n');

  it.each([
    ['loader = DataLoader(data, num_workers=args.workers)', { num_workers: 4 }, '--data-workers 4'],
    [
      'loader = DataLoader(data, num_workers=args.workers, persistent_workers=args.keep)',
      { num_workers: 4, persistent_workers: true },
      '--data-workers 4 --keep',
    ],
    [
      'loader = DataLoader(data, num_workers=args.workers, persistent_workers=args.workers > 0)',
      { num_workers: 0 },
      '--data-workers 0',
    ],
    ['loader = create_loader(data, num_workers=args.workers)', { num_workers: 4 }, '--data-workers 4'],
  ])('are named: %s', (text, changes, options) => {
    expect(edited(call(text), 3, changes)).toMatchObject({ options, advice: [] });
  });

  it('are named with a word about what else reads them', () => {
    const text =
      'loader = DataLoader(data, num_workers=args.workers)\ntest = DataLoader(other, num_workers=args.workers)';
    expect(edited(call(text), 3, { num_workers: 0 })).toMatchObject({
      options: '--data-workers 0',
      advice: ['The program reads --data-workers elsewhere, too: it may set other loaders with it.'],
    });
  });

  it.each([
    ['no option reads it', 'loader = DataLoader(data, num_workers=args.count)', { num_workers: 4 }],
    [
      'another argument would not go with it',
      'loader = DataLoader(data, num_workers=args.workers, persistent_workers=True)',
      { num_workers: 0 },
    ],
    [
      'another argument has none',
      'loader = DataLoader(data, num_workers=args.workers)',
      { num_workers: 4, prefetch_factor: 4 },
    ],
  ])('are not, where %s', (_, text, changes) => {
    expect(edited(call(text), 3, changes).options).toBeUndefined();
  });
});

describe("a loader that transformers' Trainer makes", () => {
  const frames = [{ file: 'train.py', line: 3, function: '<module>' }];
  const trainer = { library: 'transformers.Trainer' };

  it('is set by its TrainingArguments', () => {
    const source = [
      'arguments = TrainingArguments("out", dataloader_persistent_workers=True)',
      'trainer = Trainer(model, arguments)',
      'trainer.train()',
      '',
    ].join('\n');
    expect(added(source, frames, { num_workers: 4, prefetch_factor: 4 }, trainer)).toEqual([
      '+arguments = TrainingArguments("out", dataloader_persistent_workers=True, dataloader_num_workers=4, dataloader_prefetch_factor=4)',
    ]);
    expect(added(source, frames, { num_workers: 0 }, trainer)).toEqual([
      '+arguments = TrainingArguments("out", dataloader_num_workers=0)',
    ]);
  });

  it('is set by options where these are read', () => {
    const source = 'parser = HfArgumentParser((ModelArguments, TrainingArguments))\n';
    const settings = { ...BUSY, persistent_workers: true };
    expect(edited(source, frames, { num_workers: 0 }, { ...trainer, settings })).toMatchObject({
      diff: undefined,
      options: '--dataloader_num_workers 0 --dataloader_persistent_workers False',
      advice: [
        'Give TrainingArguments dataloader_num_workers=0, dataloader_persistent_workers=False: its Trainer makes the loader.',
      ],
    });
  });
});
