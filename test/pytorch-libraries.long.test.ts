import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { LoaderSummary } from '../src/workflow/index.ts';
import { LIBRARIES, pythonWith, RANKS, skipped, unorderedPython } from './fixtures/python.ts';
import { Workshop } from './fixtures/workshop.ts';

/** Importing these libraries takes many seconds on a busy machine. */
const PATIENCE = 300_000;

let workshop: Workshop;
beforeAll(() => {
  workshop = new Workshop();
});
afterAll(() => workshop.remove());

/** A line in which a library says how long it took. */
const TIMES = /^\{'train_runtime'.*\n/gm;

/** What was recorded of programs of `libraries.py` that ran one after the other in one process, without the probe and with it. */
async function recordedTogether(python: string, programs: readonly string[]): Promise<readonly LoaderSummary[]> {
  const run = programs.join('-');
  const [before, after] = await Promise.all([
    workshop.start(python, [LIBRARIES, ...programs]).finished,
    workshop.venturi('record', '--no-costs', '--out', run, '--', python, LIBRARIES, ...programs),
  ]);
  expect(before.code, before.stderr).toBe(0);
  expect(after.code, after.stderr).toBe(0);
  for (const program of programs) expect(before.stdout).toMatch(new RegExp(`^${program} `, 'm'));
  expect(after.stdout.replaceAll(TIMES, '')).toBe(before.stdout.replaceAll(TIMES, ''));
  const { problems, batches } = await workshop.info(run);
  expect(problems).toEqual([]);
  if (programs.includes('hugging_face')) expect(batches?.ahead).toMatchObject([{ name: 'map(double)' }]);
  return batches?.loaders ?? [];
}

const counts = (loaders: readonly LoaderSummary[]): unknown[] =>
  loaders.map(({ name, batches, elements }) => [name, batches, elements]);
const operators = (loader: LoaderSummary | undefined): string[] => loader?.operators.map(row => row.operator) ?? [];

const timed = (loader: LoaderSummary | undefined): Record<string, number> =>
  Object.fromEntries(loader?.operators.map(row => [row.operator, row.timed]) ?? []);

/** A program of a library's users, and what is to be seen of it. */
const PROGRAMS: readonly {
  readonly program: string;
  readonly packages: readonly string[];
  /** Those of one subject share a process: importing torch takes longer than most of them. */
  readonly subject: 'images' | 'images by name' | 'tables and shards' | 'medical images' | 'trainers';
  see(loaders: readonly LoaderSummary[]): void;
}[] = [
  {
    program: 'plain_loop',
    packages: ['torch'],
    subject: 'images',
    see: loaders => expect(counts(loaders)).toEqual([['Line', 16, 128]]),
  },
  {
    program: 'subset',
    packages: ['torch'],
    subject: 'images',
    see: loaders => {
      expect(counts(loaders)).toEqual([['Pictures', 8, 32]]);
      // Element by element, though a Subset would get a batch in one go.
      expect(timed(loaders[0])).toMatchObject({ 'Pictures.__getitem__': 32 });
    },
  },
  {
    program: 'torchvision_io',
    packages: ['torch', 'torchvision', 'PIL'],
    subject: 'images',
    see: loaders => {
      expect(loaders.map(loader => loader.elements)).toEqual([24, 24]);
      expect(operators(loaders[0])).toEqual(expect.arrayContaining(['read_file', 'decode_image']));
      expect(operators(loaders[1])).toEqual(expect.arrayContaining(['read_file', 'decode_jpeg']));
      expect(loaders[0]?.slowest[0]?.name).toMatch(/\d\d\.jpg$/);
    },
  },
  {
    program: 'opencv',
    packages: ['torch', 'cv2', 'PIL'],
    // The slowest elements of a process are kept, not of each loader.
    subject: 'images by name',
    see: ([loader]) => {
      const decoding = expect.objectContaining({ operator: 'imread', kind: 'decode' });
      expect(loader?.operators).toEqual(expect.arrayContaining([decoding]));
      expect(loader?.slowest[0]?.name).toMatch(/\d\d\.jpg$/);
    },
  },
  {
    program: 'albumentations',
    packages: ['torch', 'albumentations'],
    subject: 'images',
    see: loaders => {
      expect(counts(loaders)).toEqual([[expect.any(String), 6, 24]]);
      const expected = ['RandomCrop', 'HorizontalFlip', 'RandomBrightnessContrast', 'Compose'];
      expect(operators(loaders[0])).toEqual(expect.arrayContaining(expected));
    },
  },
  {
    program: 'hugging_face',
    packages: ['torch', 'datasets'],
    subject: 'tables and shards',
    see: loaders => {
      expect(loaders.map(({ batches, elements }) => [batches, elements])).toEqual([
        [12, 48],
        [12, 48],
        [8, 24],
      ]);
      expect(operators(loaders[0])).toEqual(expect.arrayContaining(['Dataset.__getitems__', 'query_table']));
      expect(operators(loaders[1])).toContain('jitter');
      expect(operators(loaders[2])).toEqual(expect.arrayContaining(['double', 'filter(keep_even)']));
    },
  },
  {
    program: 'shuffled_stream',
    packages: ['torch', 'datasets'],
    subject: 'tables and shards',
    see: loaders => {
      expect(counts(loaders)).toEqual([[expect.any(String), 6, 24]]);
      // Threads of the library call the functions on 48 rows; what they do ahead, while no batch is prepared, is nobody's time.
      const seen = timed(loaders[0]);
      for (const name of ['double_value', 'filter(keep_even)']) {
        expect(seen[name]).toBeGreaterThan(0);
        expect(seen[name]).toBeLessThanOrEqual(48);
      }
    },
  },
  {
    program: 'kornia',
    packages: ['torch', 'kornia'],
    subject: 'images',
    see: loaders => {
      expect(counts(loaders)).toEqual([[expect.any(String), 3, 12]]);
      expect(timed(loaders[0])).toMatchObject({
        RandomVerticalFlip: 12,
        AugmentationSequential: 12,
        RandomHorizontalFlip: 12,
        ColorJiggle: 12,
      });
    },
  },
  {
    program: 'monai',
    packages: ['torch', 'monai'],
    subject: 'medical images',
    see: loaders => {
      expect(counts(loaders)).toEqual([[expect.any(String), 3, 12]]);
      expect(timed(loaders[0])).toMatchObject({
        EnsureChannelFirstd: 12,
        ScaleIntensityd: 12,
        RandFlipd: 12,
        RandGaussianNoised: 12,
      });
    },
  },
  {
    program: 'torchio',
    packages: ['torch', 'torchio'],
    subject: 'medical images',
    see: loaders => {
      expect(counts(loaders)).toEqual([[expect.any(String), 3, 12]]);
      expect(timed(loaders[0])).toMatchObject({ RescaleIntensity: 12, RandomFlip: 12, RandomNoise: 12 });
    },
  },
  {
    program: 'webdataset',
    packages: ['torch', 'webdataset'],
    subject: 'tables and shards',
    see: loaders => {
      expect(loaders.map(({ batches, elements }) => [batches, elements])).toEqual([
        [6, 24],
        [6, 24],
      ]);
      expect(timed(loaders[0])).toMatchObject({ Decoder: 24, double_sample: 24, default_collation_fn: 6 });
      expect(operators(loaders[1])).toEqual(expect.arrayContaining(['Decoder', 'double_sample']));
    },
  },
  {
    program: 'stateful',
    packages: ['torch', 'torchdata.stateful_dataloader'],
    subject: 'tables and shards',
    see: loaders => expect(counts(loaders)).toEqual([['loader', 5, 20]]),
  },
  {
    program: 'lightning',
    packages: ['torch', 'lightning'],
    subject: 'trainers',
    see: loaders => {
      expect(counts(loaders)).toEqual(
        expect.arrayContaining([
          ['train_loader', 16, 128],
          ['valid_loader', 10, 160],
        ]),
      );
    },
  },
  {
    program: 'accelerated',
    packages: ['torch', 'accelerate'],
    subject: 'trainers',
    see: loaders => {
      expect(counts(loaders)).toEqual([
        ['training_loader', 16, 128],
        ['eval_loader', 8, 128],
      ]);
      expect(loaders.map(({ library, remadeBy }) => [library, remadeBy])).toEqual([
        [undefined, 'accelerate'],
        [undefined, 'accelerate'],
      ]);
    },
  },
  {
    program: 'trainer',
    packages: ['torch', 'transformers', 'accelerate'],
    subject: 'trainers',
    see: loaders => {
      expect(counts(loaders)).toEqual([['train: Line', 16, 128]]);
      expect(loaders[0]).toMatchObject({ library: 'transformers.Trainer', remadeBy: 'accelerate' });
      expect(loaders[0]?.location).toMatch(/libraries\.py:\d+$/);
    },
  },
];

/** Of the programs of one subject, those that a Python can run. */
const present = PROGRAMS.map(program => ({ ...program, python: pythonWith(program.packages) }));
const recordings = new Map<string, Promise<readonly LoaderSummary[]>>();

function loadersOf({ program, python = '', subject }: (typeof present)[number]): Promise<LoaderSummary[]> {
  const together = present.filter(other => other.python === python && other.subject === subject);
  const key = `${python} ${subject}`;
  const programs = together.map(other => other.program);
  const loaders = recordings.get(key) ?? recordedTogether(python, programs);
  recordings.set(key, loaders);
  return loaders.then(all => all.filter(({ stack }) => stack.some(frame => frame.function === program)));
}

describe('a recorded program as its library shows it', { timeout: PATIENCE }, () => {
  for (const each of present) {
    const { program, packages, python, see } = each;
    it.skipIf(python === undefined)(`${program}${skipped(python, packages.join(', '))}`, async () => {
      see(await loadersOf(each));
    });
  }

  // Before torch 2 its launcher fails on Python 3.11.
  const ranked = unorderedPython;
  const rankedNeeded = skipped(ranked, 'torch 2.6 or newer');
  it.skipIf(ranked === undefined)(`ranks, by a launcher in a shell script${rankedNeeded}`, async () => {
    const script = workshop.write(
      'train.sh',
      `OMP_NUM_THREADS=1 ${ranked} -m torch.distributed.run --standalone --nproc_per_node 2 ${RANKS}\n`,
    );
    const [before, after] = await Promise.all([
      workshop.start('sh', [script]).finished,
      workshop.venturi('record', '--no-costs', '--out', 'ranks', '--', 'sh', script),
    ]);
    expect(before.stdout, before.stderr).toContain('loss');
    expect(after, after.stderr).toMatchObject({ code: 0, stdout: before.stdout });
    const { batches, problems } = await workshop.info('ranks');
    expect(problems).toEqual([]);
    expect(counts(batches?.loaders ?? [])).toEqual([['train_loader', 32, 128]]);
    const passes = batches?.loaders[0]?.passes ?? [];
    expect(passes.map(pass => pass.batches)).toEqual([8, 8, 8, 8]);
    expect(new Set(passes.map(pass => pass.consumer)).size).toBe(2);
    const ranks = batches?.loaders[0]?.ranks ?? [];
    expect(ranks.map(each => [each.rank, each.batches, each.elements])).toEqual([
      ['0', 16, 64],
      ['1', 16, 64],
    ]);
  });
});
