import { expect, test } from 'vitest';
import { loaderGraph } from './graph.ts';
import { cpu, elementsOf, fold, inner, type LaneRows, order, span } from './records.fixture.ts';
import { type LoaderSummary, summariseBatches } from './summary.ts';

const MS = 1e6;
const MAIN = 1;
const FIRST_WORKER = 100;

/** A loader with workers in steady state: a batch takes `prepare` to prepare and `consume` to consume, in ms. */
function run({
  prepare,
  consume,
  workers = 2,
  batches = 20,
  cores = 4,
  handOver = 0.1,
  queued = 0,
  late = 0,
  device = 0,
}: {
  readonly prepare: number;
  readonly consume: number;
  readonly workers?: number;
  readonly batches?: number;
  readonly cores?: number;
  readonly handOver?: number;
  /** How long the consumer, when its batch has come, queues for a core. */
  readonly queued?: number;
  /** Every n-th batch takes three times as long. */
  readonly late?: number;
  /** A step takes so long on a device, which is asked about every second one; 0 where there is none. */
  readonly device?: number;
}): LoaderSummary {
  const lanes = Array.from({ length: workers }, (_, at) => ({
    pid: FIRST_WORKER + at,
    rows: [] as LaneRows['rows'][number][],
  }));
  const free = lanes.map(() => 0);
  const facts = `facts:{"loader":"train","location":null,"settings":{"num_workers":${workers},"prefetch_factor":2}}`;
  const dataset = 'facts:{"operator":"Images.__getitem__","kind":"dataset","location":"images.py:3"}';
  const rows: LaneRows['rows'][number][] = [span(facts, 0, 0, 0), span(dataset, 0, 0, 0)];
  const ready: number[] = [];
  const ordered: number[] = [];
  let now = 0;
  const give = (number: number): void => {
    const worker = number % workers;
    const task = Math.floor(number / workers);
    rows.push(...order('train', number, now, FIRST_WORKER + worker, task));
    ordered[number] = now;
    const before = free[worker] ?? 0;
    const start = Math.max(now, before);
    lanes[worker]?.rows.push(span('idle', task, before, start));
    const end = start + prepare * MS * (late > 0 && number % late === 0 ? 3 : 1);
    free[worker] = end;
    ready[number] = end + handOver * MS;
    lanes[worker]?.rows.push(
      span('operator:Images.__getitem__', task, start, end),
      inner('operator:decode', start, start + (end - start) * 0.8),
      span('prepare', task, start, end),
      elementsOf(8),
    );
  };
  for (let number = 0; number < Math.min(batches, workers * 2); number++) give(number);
  for (let number = 0; number < batches; number++) {
    const arrived = Math.max(now, ready[number] ?? 0);
    for (let later = number; later < batches; later++) {
      const at = ready[later];
      if (at !== undefined && at <= arrived && (later === number || at > now))
        rows.push(span('arrive:train', later, at, at));
    }
    rows.push(span('wait:train', number, now, arrived + queued * MS));
    if (queued > 0) rows.push({ ...cpu(0, queued * MS), key: 'wait:train', sequence: number });
    now = arrived + queued * MS;
    if (number + workers * 2 < batches) give(number + workers * 2);
    rows.push(span('consume:train', number, now, now + consume * MS));
    if (device > 0 && number % 2 === 0) {
      // The device is behind: it has nothing to wait for.
      rows.push(span('device-wait:train', number, now, now), span('device:train', number, now, now + device * MS));
    }
    now += consume * MS;
  }
  const summary = summariseBatches(fold([{ pid: MAIN, rows }, ...lanes]).result(), cores);
  return summary.loaders[0] as LoaderSummary;
}

test('a host that waits while its device has work to do is no reason to change the loader', () => {
  const host = run({ prepare: 50, consume: 2 });
  expect(host.verdict.bound).toBe('preparation');
  const loader = run({ prepare: 50, consume: 2, device: 60 });
  expect(loader.verdict).toMatchObject({ bound: 'consumer', waitShare: 0 });
  expect(loader.deviceStep).toMatchObject({ count: 10, mean: 60 * MS });
  expect(loader.evidence.consumePerBatch).toBe(60 * MS);
  // Too few steps on the device say nothing.
  expect(run({ prepare: 50, consume: 2, device: 60, batches: 9 }).verdict.bound).toBe('preparation');
});

test('a consumer that waits is limited by preparation, and is told how many workers would keep up', () => {
  const loader = run({ prepare: 100, consume: 20, workers: 2, cores: 8 });
  expect(loader.verdict).toMatchObject({ bound: 'preparation', workersWanted: 5 });
  // Two workers give a batch every 50 ms, of which the consumer works 20.
  expect(loader.verdict.waitShare).toBeCloseTo(0.6, 1);
});

test('a consumer slower than its workers is the limit itself, and batches are delayed', () => {
  const loader = run({ prepare: 20, consume: 50 });
  expect(loader.verdict).toMatchObject({ bound: 'consumer', workersWanted: undefined });
  expect(loader.delay.p50).toBeGreaterThan(50 * MS);
});

test('batches that are ready and come late are a matter of transfer', () => {
  const loader = run({ prepare: 10, consume: 5, workers: 1, handOver: 60 });
  expect(loader.verdict.bound).toBe('transfer');
});

test('a consumer that queues for a core while its batch lies ready is not held up by handing it over', () => {
  const { verdict, evidence } = run({ prepare: 10, consume: 60, queued: 12 });
  expect(verdict).toMatchObject({ bound: 'consumer', waitShare: 0 });
  expect(evidence.waitPrepared).toBe(0);
  // Handing over stays what it is, and so does preparation that is waited for.
  expect(run({ prepare: 10, consume: 5, workers: 1, handOver: 60, queued: 12 }).verdict.bound).toBe('transfer');
  expect(run({ prepare: 100, consume: 20, queued: 12 }).verdict.bound).toBe('preparation');
});

test('a late batch holds up those that are ready behind it', () => {
  const loader = run({ prepare: 30, consume: 12, workers: 4, late: 4, batches: 40 });
  expect(loader.outOfOrder).toBeGreaterThan(10);
  expect(loader.verdict.bound).toBe('order');
});

test('late batches of workers that are always busy are a matter of preparation', () => {
  const loader = run({ prepare: 100, consume: 5, workers: 4, late: 3, batches: 40, cores: 8 });
  expect(loader.evidence.waitInOrder / loader.evidence.wait).toBeGreaterThan(0.3);
  expect(loader.verdict.bound).toBe('preparation');
});

test('a few batches say nothing', () => {
  expect(run({ prepare: 100, consume: 20, batches: 4 }).verdict.bound).toBe('unclear');
});

test('waiting is shown over time', () => {
  const { windows } = run({ prepare: 100, consume: 20, batches: 40 }).passes[0] ?? { windows: [] };
  expect(windows.reduce((sum, window) => sum + window.batches, 0)).toBeGreaterThanOrEqual(39);
  for (const window of windows.slice(1, -1)) expect(window.waitShare).toBeCloseTo(0.6, 0);
});

test('the graph is the way of an element, and ends at the loader', () => {
  const loader = run({ prepare: 10, consume: 5 });
  const { operators, stages, channels } = loaderGraph({
    loaders: [loader],
    start: loader.wait.p50,
    end: loader.wait.p50,
    ahead: [],
    sharedSpace: undefined,
    torch: '',
    python: '',
  });
  expect(operators.map(({ id, inputs }) => [id, inputs])).toEqual([
    ['train/Images.__getitem__', []],
    ['train/decode', ['train/Images.__getitem__']],
    ['train', ['train/decode']],
  ]);
  expect(stages.map(({ operators: ids, parallelism }) => [ids.length, parallelism])).toEqual([
    [2, 2],
    [1, 0],
  ]);
  expect(channels).toMatchObject([{ from: 'train/decode', to: 'train', slots: 4 }]);
});

test('knows where a loader was made, and by whom; recordings of 0.1 say less', () => {
  const of = (fact: object): LoaderSummary | undefined => {
    const rows = [
      span(`facts:${JSON.stringify(fact)}`, 0, 0, 0),
      ...order('val', 0, 0, MAIN, 0),
      span('wait:val', 0, 0, 1),
    ];
    return summariseBatches(fold([{ pid: MAIN, rows }]).result(), 4).loaders[0];
  };
  const stack = [
    { file: '/home/me/data.py', line: 3, function: 'build', text: 'return create_loader(dataset)' },
    { file: '/home/me/train.py', line: 9, function: 'main' },
  ];
  const known = { key: 'data.py:3 build < train.py:9 main', location: '/home/me/data.py:3', library: 'timm.data' };
  const fact = { loader: 'val', ...known, remadeBy: 'accelerate', stack, settings: { num_workers: 0 } };
  expect(of(fact)).toMatchObject({ name: 'val', ...known, remadeBy: 'accelerate', stack });
  const old = of({ loader: 'val', location: 'train.py:9', settings: { num_workers: 0 } });
  expect(old).toMatchObject({ name: 'val', location: 'train.py:9', stack: [], batches: 1 });
  expect([old?.key, old?.library, old?.remadeBy]).toEqual([undefined, undefined, undefined]);
});
