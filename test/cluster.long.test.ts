import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Cluster } from '../bench/scaleout/cluster.mjs';
import { clusterRefusal } from './fixtures/cluster.ts';
import { pythonWith } from './fixtures/python.ts';
import { Workshop } from './fixtures/workshop.ts';

const shop = new Workshop();
afterAll(() => shop.remove());

const JOB = {
  id: 'test',
  model: 'vgg',
  model_bytes: 200_000,
  batch: 1,
  seconds_per_example: 0.01,
  bits_per_second: 200e6,
  steps: 6,
  warm_up: 2,
};

/** Those of the model. */
const TENSORS = 22;

/** Without root or the tools, or without the runtime: which, for the name. */
const reason = (python: string | undefined, runtime: string): string =>
  clusterRefusal !== '' ? clusterRefusal : python === undefined ? `no Python with ${runtime}` : '';
const noted = (why: string): string => (why === '' ? '' : ` (skipped: ${why})`);

const tensorflow = process.env.VENTURI_PYTHON_TENSORFLOW;
const noTensorflow = reason(tensorflow, 'TensorFlow in VENTURI_PYTHON_TENSORFLOW: tools/current-tensorflow.sh');

describe.skipIf(noTensorflow !== '')(`parameter servers of TensorFlow${noted(noTensorflow)}`, () => {
  let cluster: Cluster;
  beforeAll(() => {
    cluster = new Cluster(tensorflow ?? '');
  });
  afterAll(() => cluster.close());

  it.each([
    ['async', 1, 'default'],
    ['async', 2, 'default'],
    ['async', 1, 'reverse'],
    ['sync', 1, 'default'],
  ])('train in mode %s with %d servers and order %s', async (mode, servers, order) => {
    const { moments, counted_steps } = await cluster.train({ ...JOB, workers: 2, mode, servers, order });
    expect(moments.length).toBe(2);
    expect(Math.max(...moments.map(ends => ends.length))).toBeGreaterThan(JOB.steps);
    expect(counted_steps).toBeGreaterThan(0);
  });

  it('that fail are not waited for', async () => {
    await expect(cluster.train({ ...JOB, workers: 2, split: 'by-colour' })).rejects.toThrow(
      /worker \d ended before it was ready/,
    );
  });

  it('train with real compute', async () => {
    const { moments } = await cluster.train({ ...JOB, model: 'dense', compute: 'real', batch: 8, workers: 1 });
    expect(moments[0]?.length).toBe(JOB.steps + 1);
  });

  it('train one after the other on the same processes, with fewer workers too', async () => {
    const first = await cluster.train({ ...JOB, workers: 1, started: 2 });
    const second = await cluster.train({ ...JOB, workers: 2, batch: 2, bits_per_second: 100e6 });
    expect([first, second].map(({ moments }) => moments.length)).toEqual([1, 2]);
    expect(second.pids).toEqual(first.pids);
    const third = await cluster.train({ ...JOB, workers: 1, order: 'layer' });
    expect(third.pids).not.toEqual(first.pids);
  });

  it('leave RunMetadata of every step that counts, in which each tensor travels once in each direction', async () => {
    const traces = shop.path('traces');
    await cluster.train({ ...JOB, workers: 1, traces });
    const files = readdirSync(traces).sort();
    expect(files).toEqual(Array.from({ length: JOB.steps - JOB.warm_up }, (_, at) => `step-000${at + JOB.warm_up}.pb`));
    const texts = files.map(file => readFileSync(shop.path(`traces/${file}`), 'latin1'));
    const counts = (pattern: RegExp): number[] => texts.map(text => text.match(pattern)?.length ?? 0);
    expect(counts(/edge_\d+_\w+\/\w+\/read from \/job:ps/g)).toEqual(files.map(() => TENSORS));
    // TensorFlow loses what servers note down at the end of some steps.
    expect(Math.max(...counts(/edge_\d+_\w+\/backward from \/job:worker/g))).toBe(TENSORS);
  });

  it('are seen to send each tensor in a stream of its own', async () => {
    const { observed } = (await cluster.request({
      streams: { ...JOB, workers: 1, traces: shop.path('streams') },
    })) as {
      observed: {
        step: number;
        tensor: string;
        direction: string;
        bytes: number;
        first: number;
        last: number;
        end: number;
      }[];
    };
    const last = observed.filter(({ step }) => step === JOB.steps - 1);
    const down = last.filter(({ direction }) => direction === 'down');
    expect(new Set(down.map(({ tensor }) => tensor)).size).toBe(TENSORS);
    for (const { bytes, first, last: passed, end } of last) {
      expect(bytes).toBeGreaterThan(0);
      expect(first <= passed && passed <= end).toBe(true);
    }
    const largest = 193_357 * 4 * (JOB.model_bytes / 1e6);
    expect(Math.max(...down.map(({ bytes }) => bytes)) / largest).toBeCloseTo(1, 2);
  });
});

describe.skipIf(noTensorflow !== '')(`our own gRPC sender${noted(noTensorflow)}`, () => {
  it('interrupts streams when they have sent as much as the window of their receiver', async () => {
    const cluster = new Cluster(tensorflow ?? '');
    const window = 65_536;
    const { observed } = (await cluster.request({
      sender: { ...JOB, model_bytes: 2_000_000, workers: 1 },
      window,
    })) as { observed: { tensor: string; bytes: number; before_switch: number | null }[] };
    await cluster.close();
    expect(observed.length).toBe(TENSORS * JOB.steps);
    // gRPC counts the 5 bytes before a message in. Where the receiver asks for the rest in time, a stream goes on.
    expect(observed.map(({ before_switch }) => before_switch)).toContain(window + 5);
  });
});

const torch = pythonWith(['torch']);
const noTorch = reason(torch, 'torch');

describe.skipIf(noTorch !== '')(`workers of PyTorch over gloo${noted(noTorch)}`, () => {
  it('train, and leave a trace of each rank with its steps and its all-reduces', async () => {
    const cluster = new Cluster(torch ?? '');
    const traces = shop.path('ranks');
    const { moments } = await cluster.train({ ...JOB, workers: 2, mode: 'allreduce', traces });
    await cluster.close();
    expect(moments.map(ends => ends.length)).toEqual([JOB.steps + 1, JOB.steps + 1]);
    expect(readdirSync(traces).sort()).toEqual(['rank-0.json', 'rank-1.json']);
    const { traceEvents } = JSON.parse(readFileSync(shop.path('ranks/rank-1.json'), 'utf8'));
    const named = (name: RegExp): number =>
      new Set(
        traceEvents.filter((event: { name: string }) => name.test(event.name)).map((e: { name: string }) => e.name),
      ).size;
    expect(named(/^ProfilerStep#\d+$/)).toBe(JOB.steps - 2);
    expect(named(/^gloo:all_reduce$/)).toBe(1);
  });
});
