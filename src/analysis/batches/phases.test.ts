import { expect, test } from 'vitest';
import { BatchFold } from './fold.ts';
import { PhaseFold, type StepPhases } from './phases.ts';
import { feed, type LaneRows, order, span } from './records.fixture.ts';
import { type LoaderSummary, summariseBatches } from './summary.ts';

const MAIN = 10;
type Rows = LaneRows['rows'][number][];

/** A batch that is waited for 10, and whose step takes 100. */
const batch = (number: number): Rows => {
  const at = number * 110;
  return [
    ...order('train', number, at, MAIN, number),
    span('wait:train', number, at, at + 10),
    span('consume:train', number, at + 10, at + 110),
  ];
};

/** A watched step, and phases by name, start and end in it. */
const watched = (number: number, phases: readonly (readonly [string, number, number])[], prefix = ''): Rows => {
  const at = number * 110 + 10;
  return [
    span(`${prefix}step:train`, number, at, at + 100),
    ...phases.map(([name, from, to]) => span(`${prefix}phase:${name}`, number, at + from, at + to)),
  ];
};

function phasesOf(lanes: readonly LaneRows[], size: number): StepPhases[] {
  const loaders: readonly LoaderSummary[] = summariseBatches(feed(new BatchFold(), lanes, size).result(), 2).loaders;
  return feed(new PhaseFold(), lanes, size).result(loaders);
}

const rowsOf = (steps: readonly StepPhases[]): unknown[] | undefined =>
  steps[0]?.phases.map(({ phase, of, calls, mean, share }) => [phase, of.join(' '), calls, mean, share]);

const STEP = [
  ['zero-grad', 0, 2],
  ['forward:Net', 5, 45],
  ['forward:Loss', 45, 50],
  ['backward', 50, 80],
  ['optimizer:SGD', 80, 90],
] as const;

test.each([1000, 3, 1])('the mean of each phase over the watched steps, in blocks of %i rows', size => {
  const rows = [
    ...batch(0),
    ...batch(1),
    ...watched(1, STEP),
    ...batch(2),
    ...watched(2, [['forward:Net', 0, 20]]),
    ...batch(3),
  ];
  const steps = phasesOf([{ pid: MAIN, rows }], size);
  expect(steps).toMatchObject([{ loader: 'train', steps: 2, onDevice: false, mean: 110 }]);
  expect(rowsOf(steps)).toEqual([
    ['fetch', '', 1, 10, 10 / 110],
    ['zero-grad', '', 0.5, 1, 1 / 110],
    ['forward', 'Net Loss', 1.5, 32.5, 32.5 / 110],
    ['backward', '', 0.5, 15, 15 / 110],
    ['optimizer', 'SGD', 0.5, 5, 5 / 110],
    ['rest', '', 1, 46.5, 46.5 / 110],
  ]);
});

test('an optimizer that is given the step as a function has only its own time', () => {
  const nested = [
    ['optimizer:LBFGS', 0, 90],
    ['forward:Net', 5, 45],
    ['backward', 50, 80],
  ] as const;
  const steps = phasesOf([{ pid: MAIN, rows: [...batch(0), ...watched(0, nested), ...batch(1)] }], 1000);
  const times = steps[0]?.phases.map(({ phase, mean }) => [phase, mean]);
  expect(times?.slice(1)).toEqual([
    ['forward', 40],
    ['backward', 30],
    ['optimizer', 20],
    ['rest', 10],
  ]);
});

test('where a device was asked its times count, and those of the host do not', () => {
  const rows = [
    ...batch(0),
    ...watched(0, [['forward:Net', 0, 5]]),
    ...watched(0, [['forward:Net', 0, 60]], 'device-'),
    ...batch(1),
  ];
  const steps = phasesOf([{ pid: MAIN, rows }], 1000);
  expect(steps[0]).toMatchObject({ steps: 1, onDevice: true });
  expect(steps[0]?.phases.find(({ phase }) => phase === 'forward')?.mean).toBe(60);
});

test('steps of two processes with the same loader are counted together', () => {
  const lane = (pid: number): LaneRows => ({ pid, rows: [...batch(0), ...watched(0, STEP)] });
  expect(phasesOf([lane(MAIN), lane(MAIN + 1)], 1000)).toMatchObject([{ loader: 'train', steps: 2 }]);
});

test('steps of two programs that call their loaders alike are told apart', () => {
  const lane = (pid: number): LaneRows => {
    const fact = { loader: 'train', key: `program ${pid}`, pid, location: null, settings: {} };
    return { pid, rows: [span(`facts:${JSON.stringify(fact)}`, 0, 0, 0), ...batch(0), ...watched(0, STEP)] };
  };
  const found = phasesOf([lane(MAIN), lane(MAIN + 1)], 1000).map(({ loader, steps }) => [loader, steps]);
  expect(found).toEqual([
    ['train', 1],
    ['train 2', 1],
  ]);
});

test('a program whose steps were not watched has none', () => {
  expect(phasesOf([{ pid: MAIN, rows: batch(0) }], 1000)).toEqual([]);
});
