import { expect, test } from 'vitest';
import type { MemoryGrowth } from '../../analysis/batches/memory-growth.ts';
import type { StepPhases } from '../../analysis/batches/phases.ts';
import { ns, share } from '../../model/units.ts';
import { summary } from '../../tuning/loader/summary.fixture.ts';
import { imagesInfo } from '../results/run-info.fixture.ts';
import type { RunInfo } from '../results/run-info.ts';
import { flatSummary } from './flat-summary.ts';

const MS = 1e6;

const step: StepPhases = {
  loader: 'train_loader',
  steps: 7,
  onDevice: false,
  mean: ns(50 * MS),
  phases: [
    { phase: 'fetch', of: [], calls: 1, mean: ns(30 * MS), share: share(0.6) },
    { phase: 'zero-grad', of: [], calls: 1, mean: ns(5 * MS), share: share(0.1) },
    { phase: 'forward', of: ['Net'], calls: 1, mean: ns(15 * MS), share: share(0.3) },
  ],
};
const growth = (where: MemoryGrowth['where'], perSecond: number | undefined): MemoryGrowth => {
  const interval = (estimate: number) => ({ estimate, low: estimate, high: estimate, confidence: 0.95 });
  return {
    where,
    loader: 'train_loader',
    processes: 1,
    perSecond: perSecond === undefined ? undefined : interval(perSecond),
    perHundredBatches: perSecond === undefined ? undefined : interval(10 * perSecond),
    isUnshared: false,
  };
};

const infoOf = (names: readonly string[]): RunInfo => ({
  ...imagesInfo,
  batches: {
    loaders: names.map(name => summary({}, { name })),
    ahead: [],
    sharedSpace: undefined,
    start: ns(0),
    end: ns(1e9),
    torch: undefined,
    python: undefined,
  },
  steps: [step],
  memory: [growth('main', 2e6), growth('workers', undefined)],
});

test('names carry the loader and the unit, and have numbers alone', () => {
  const flat = flatSummary(infoOf(['train_loader']));
  expect(flat).toMatchObject({
    'run/seconds': 3.2,
    'train_loader/batches': 100,
    'train_loader/preparation_ms': 40,
    'train_loader/consume_ms': 10,
    'train_loader/wait_share': 0.75,
    'train_loader/steps_watched': 7,
    'train_loader/step_fetch_ms': 30,
    'train_loader/step_zero_grad_ms': 5,
    'train_loader/step_forward_ms': 15,
    'train_loader/workers_mb_per_100_batches': 0,
    'memory/main_mb_per_100_batches': 20,
    'memory/main_mb_per_hour': 7200,
  });
  for (const [name, value] of Object.entries(flat)) {
    expect(name).toMatch(/^[\w.-]+\/[\w.-]+$/);
    expect(Number.isFinite(value), name).toBe(true);
  }
});

test('loaders whose names come out alike keep apart, and take no name of ours', () => {
  const places = Object.keys(flatSummary(infoOf(['val: Images', 'val Images', 'run'])))
    .filter(name => name.endsWith('/batches'))
    .map(name => name.replace('/batches', ''));
  expect(places).toEqual(['val_Images', 'val_Images_2', 'run_2']);
});

test('a run of a pipeline has its own figures', () => {
  expect(flatSummary(imagesInfo)).toMatchObject({
    'run/elements': 200,
    'run/cores_busy': 1.91,
    'run/peak_memory_mb': 180,
  });
});
