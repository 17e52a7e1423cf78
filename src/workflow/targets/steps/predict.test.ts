import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { FakeContext } from '../../../cli/fake-context.fixture.ts';
import { runProgram } from '../../../cli/program.ts';
import { glooStep, kinetoText } from '../../../probes/steps/kineto/trace.fixture.ts';
import { renderText } from '../../../report/text.ts';
import { clusterPredictionReport } from '../../../report/views/cluster-prediction.ts';
import { predictCluster } from './predict.ts';

const EXAMPLE = join(import.meta.dirname, '../../../../examples/steps/vgg11-one-worker.json.gz');
const BANDWIDTH = 1.25e8;
const folder = mkdtempSync(join(tmpdir(), 'venturi-cluster-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('a forecast of clusters from a trace', () => {
  it('finds in the example what it was made with, and says where it saturates', async () => {
    const said: (string | undefined)[] = [];
    const { signal } = new AbortController();
    const prediction = await predictCluster(
      EXAMPLE,
      { replicas: [1, 2, 4], bandwidth: BANDWIDTH, fit: true, batchSize: 32, price: 0.5, epochSize: 50_000 },
      { status: line => said.push(line), signal },
    );
    expect(prediction.fit?.window).toBe(2 ** 20);
    expect(prediction.fit?.reproduction.streams.mean).toBeLessThan(0.01);
    expect(prediction.points.map(({ workers }) => workers)).toEqual([1, 2, 4]);
    // One worker is what was recorded.
    expect(prediction.points[0]?.stepSeconds).toBeCloseTo(prediction.profiled.seconds, 1);
    // 507 MB each way at 1 Gb/s: 4.06 s a step.
    expect(prediction.points[2]?.throughput.estimate).toBeLessThan(32 / 4.05);
    expect(prediction.saturation).toEqual([{ servers: 1, workers: 2, resource: expect.stringMatching(/link/) }]);
    expect(said.at(-2)).toMatch(/^20 of 20 simulations/);
    expect(said.at(-1)).toBeUndefined();
    const text = renderText(clusterPredictionReport(prediction), { width: 200 });
    expect(text).toMatch(/^Throughput saturates at 2 workers/);
    expect(text).toMatch(/WIN +1\.05 MB/);
    expect(text).toMatch(/epoch +cost/);
  });

  it('sends tensors in the order in which they were sent, with a fit, not in that in which they were asked for', async () => {
    const file = join(folder, 'overtaken.json');
    const MS = 1e6;
    /** At 100 MB/s the bias, asked for first, came after a kernel that takes 100 ms; 50 ms of computation wait for the bias. */
    const step = (number: number): object[] => {
      const op = (
        name: string,
        work: string,
        resource: number,
        start: number,
        end: number,
        bytes?: number,
      ): object => ({
        ...{ name, work, resource, start: number * 200 * MS + start, duration: end - start, step: number, bytes },
      });
      return [
        op('bias', 'communication', 0, 0, 101 * MS, 1e5),
        op('kernel', 'communication', 0, 1000, 100 * MS, 1e7),
        op('first', 'compute', 1, 101 * MS, 151 * MS),
        op('second', 'compute', 1, 151 * MS, 161 * MS),
      ];
    };
    const numbers = [0, 1, 2, 3];
    const document = {
      format: 'venturi-steps',
      version: 1,
      resources: [
        { name: 'down', kind: 'downlink', server: 0 },
        { name: 'worker', kind: 'device' },
      ],
      steps: numbers.map(number => ({ number, start: number * 200 * MS, duration: 161 * MS })),
      ops: numbers.flatMap(step),
      dependencies: numbers.flatMap(number => [
        { from: 4 * number, to: 4 * number + 2, cause: 'data' },
        { from: 4 * number + 1, to: 4 * number + 3, cause: 'data' },
      ]),
    };
    writeFileSync(file, JSON.stringify(document));
    const secondsWith = async (options: object): Promise<number> =>
      (await predictCluster(file, { replicas: [1], bandwidth: 1e8, ...options })).points[0]?.stepSeconds ?? 0;
    expect(await secondsWith({ fit: true })).toBeCloseTo(0.161, 4);
    expect(await secondsWith({ fit: true, bandwidth: 1e9, profiledBandwidth: 1e8 })).toBeCloseTo(0.0701, 4);
    expect(await secondsWith({})).toBeCloseTo(0.112, 3);
  });

  it('is refused where no transfer says its bytes: the network would cost nothing', async () => {
    const op = { name: 'w', work: 'communication', resource: 0, start: 0, duration: 1e6, step: 0 };
    const file = join(folder, 'sizeless.json');
    const document = {
      format: 'venturi-steps',
      version: 1,
      resources: [{ name: 'down', kind: 'downlink', server: 0, rank: 0 }],
      steps: [{ number: 0, start: 0, duration: 1e6 }],
      ops: [op],
    };
    writeFileSync(file, JSON.stringify(document));
    await expect(predictCluster(file, { replicas: [1], bandwidth: BANDWIDTH })).rejects.toMatchObject({
      code: 'VENTURI_USAGE',
      message: 'No transfer in the trace says how many bytes it moves, so it does not tell what a network would cost.',
    });
    writeFileSync(file, JSON.stringify({ ...document, ops: [{ ...op, bytes: 1e6 }] }));
    expect((await predictCluster(file, { replicas: [1], bandwidth: BANDWIDTH })).points).toHaveLength(1);
  });

  it('turns transfers of gradients into all-reduces, two servers into shares of the parameters', async () => {
    const reduced = await predictCluster(EXAMPLE, { replicas: [2], bandwidth: BANDWIDTH, mode: 'allreduce' });
    expect(reduced.unit).toBe('steps');
    expect(reduced.points[0]?.uses.map(({ resource }) => resource)).toContain('collective');
    expect(reduced.clusterAssumptions).toEqual(['no-latency']);
    const servers = await predictCluster(EXAMPLE, {
      replicas: [4],
      servers: [1, 2],
      bandwidth: BANDWIDTH,
      partition: 'greedy',
    });
    expect(servers.points.map(point => point.servers)).toEqual([1, 2]);
    expect(servers.points[1]?.uses.map(({ resource }) => resource)).toEqual(
      expect.arrayContaining(['downlink 1', 'downlink 2', 'uplink 1', 'uplink 2']),
    );
    expect(servers.clusterAssumptions).toEqual(['no-overhead', 'whole-streams', 'no-pause']);
  });

  it('lets workers pause between steps until one does as many as were measured', async () => {
    const { profiled, whatIf, aloneSeconds, clusterAssumptions } = await predictCluster(EXAMPLE, {
      replicas: [1],
      bandwidth: 10 * BANDWIDTH,
      profiledBandwidth: BANDWIDTH,
      // A step takes 8.4 s at the bandwidth at which it was profiled.
      alone: 1 / 20,
    });
    expect(whatIf.pause).toBeCloseTo(20 - profiled.seconds, 0);
    expect(aloneSeconds).toBeGreaterThan(whatIf.pause);
    expect(aloneSeconds).toBeLessThan(20);
    expect(clusterAssumptions).not.toContain('no-pause');
    expect(clusterAssumptions).not.toContain('alone-slower');
    // Faster than what was simulated: the profiler's doing, which no pause makes up for.
    const faster = await predictCluster(EXAMPLE, { replicas: [1], bandwidth: BANDWIDTH, alone: 100 });
    expect(faster.clusterAssumptions).toContain('alone-slower');
    expect(faster.whatIf.pause).toBe(0);
  });

  it('all-reduces what threads of gloo do, beside the computation, and waits before gradients are copied', async () => {
    const file = join(folder, 'gloo.json');
    writeFileSync(file, kinetoText(glooStep));
    const { points } = await predictCluster(file, { replicas: [1, 2], bandwidth: 1e9 });
    // 800 µs without a wait. With two workers 400 µs from 105 on and then 40, a copy of 10 µs after each, and 360 µs of the optimizer.
    expect(points[0]?.stepSeconds).toBeCloseTo(800e-6, 9);
    expect(points[1]?.stepSeconds).toBeCloseTo((105 + 400 + 40 + 10 + 360) * 1e-6, 9);
  });

  it('says first that the trace has no marks of steps, and what all of it was taken for', async () => {
    const file = join(folder, 'unmarked.json');
    const named = glooStep.map(event => ({ ...event, name: event.name.replace('ProfilerStep#1', 'iteration') }));
    writeFileSync(file, kinetoText([...named, { cat: 'user_annotation', name: 'iteration', at: 1000, for: 1 }]));
    const prediction = await predictCluster(file, { replicas: [1], bandwidth: 1e9 });
    expect(prediction.problems).toMatchObject([{ code: 'VENTURI_WARN_STEPS_UNMARKED' }]);
    const [, first] = clusterPredictionReport(prediction);
    expect(first).toMatchObject({
      text: expect.stringMatching(/all of it, 1\.0 ms, is .*those that recur: iteration\.$/),
    });
    const marked = await predictCluster(file, { replicas: [1], bandwidth: 1e9, stepMarker: 'iteration' });
    expect(marked.problems).toEqual([]);
  });

  it('is fitted to the order in which the trace was recorded, whatever order is asked for', async () => {
    const [recorded, reverse] = await Promise.all(
      (['recorded', 'reverse'] as const).map(order =>
        predictCluster(EXAMPLE, { replicas: [1], bandwidth: BANDWIDTH, fit: true, order }),
      ),
    );
    expect(reverse?.fit).toEqual(recorded?.fit);
  });

  it('wants to know the bandwidth', async () => {
    await expect(predictCluster(EXAMPLE, { replicas: [2] })).rejects.toThrow(
      expect.objectContaining({ code: 'VENTURI_USAGE', remedy: expect.stringContaining('--bandwidth 10Gbit') }),
    );
  });

  it('can be interrupted', async () => {
    const controller = new AbortController();
    controller.abort();
    await expect(
      predictCluster(EXAMPLE, { bandwidth: BANDWIDTH }, { status: () => undefined, signal: controller.signal }),
    ).rejects.toThrow(expect.objectContaining({ code: 'VENTURI_INTERRUPTED' }));
  });
});

describe('venturi predict', () => {
  const run = async (
    ...args: string[]
  ): Promise<{ readonly code: number; readonly out: string; readonly error: string }> => {
    const context = new FakeContext({ width: 120 });
    const code = await runProgram(['predict', ...args], context);
    return { code, out: context.stdout, error: context.stderr };
  };

  it('takes ranges of workers, bits per second, an order, and prints JSON', async () => {
    const { code, out } = await run(
      EXAMPLE,
      '--replicas',
      '1..2,4',
      '--bandwidth',
      '1Gbit',
      '--order',
      'tic',
      '--json',
    );
    expect(code).toBe(0);
    const { points, whatIf } = JSON.parse(out);
    expect(points.map(({ workers }: { workers: number }) => workers)).toEqual([1, 2, 4]);
    expect(whatIf).toMatchObject({
      bandwidth: BANDWIDTH,
      order: 'tic',
      mode: 'async',
      partition: 'recorded',
      window: null,
    });
  });

  it('writes the first steps of the largest cluster for Perfetto, and says how much in step workers were', async () => {
    const file = join(folder, 'cluster.json');
    const { out } = await run(EXAMPLE, '--replicas', '1,3', '--bandwidth', '1Gbit', '--write-trace', file);
    expect(out).toMatch(/the first steps of 3 workers[\s\S]*in step/);
    const { traceEvents } = JSON.parse(readFileSync(file, 'utf8'));
    const steps = traceEvents.filter(({ name }: { name: string }) => name === 'step 0');
    expect(steps.map(({ pid }: { pid: number }) => pid)).toEqual([0, 1, 2]);
    const refused = await run(EXAMPLE, '--replicas', '1', '--bandwidth', '1Gbit', '--write-trace', join(file, 'x'));
    expect(refused.error).toMatch(/VENTURI_FILE_UNWRITABLE/);
  });

  it.each([
    [['--replicas', '2', '--steps', '1000000000'], /--steps: '1000000000' is more than is simulated: at most 10000/],
    [['--replicas', '1..1000000000'], /--replicas: '1\.\.1000000000' is more than can be simulated/],
    [['--replicas', '5..2'], /--replicas: '5\.\.2' ends before it begins/],
    [['--servers', '0'], /--servers: '0' is not a whole number from 1 up/],
    [['--bandwidth', '1Gbit', '--straggling', '2,2'], /--straggling: '2,2' is not a share of steps and a factor/],
    [['--bandwidth', '1Gbit', '--workers', '2'], /--workers and --prefetch are of a DataLoader/],
    [['--replicas', '0'], /--replicas: '0' is not a whole number from 1 up/],
    [['--bandwidth', '0Gbit'], /--bandwidth: '0Gbit' is not a bandwidth/],
    [['--bandwidth', '1Gbit', '--order', 'none'], /No transfer from a server is called none/],
    [['--bandwidth', '1Gbit', '--price', 'dear'], /--price: 'dear' is not a number above zero/],
  ])('refuses %j', async (args, message) => {
    const { code, error } = await run(EXAMPLE, ...args);
    expect(code).not.toBe(0);
    expect(error).toMatch(message);
  });

  describe('of a trace that another tool wrote', () => {
    /** A parameter, what is computed with it, and its gradient, in ns; with other times, lanes and number of the server. */
    const forecast = async ({ duration = 50_000, bytes = 1e6, lanes = 1, server = 0 }, ...args: string[]) => {
      const file = join(folder, 'steps.json');
      const op = (name: string, resource: number, more: object) => ({ name, resource, start: 0, step: 0, ...more });
      const sent = { work: 'communication', bytes, duration };
      const document = {
        format: 'venturi-steps',
        version: 1,
        resources: [
          { name: 'gpu', kind: 'device', lanes },
          { name: 'down', kind: 'downlink', server },
          { name: 'up', kind: 'uplink', server },
        ],
        steps: [{ number: 0, start: 0, duration: 100_000 }],
        ops: [op('w', 1, sent), op('mm', 0, { work: 'compute', duration }), op('g', 2, sent)],
        dependencies: [
          { from: 0, to: 1 },
          { from: 1, to: 2 },
        ],
      };
      writeFileSync(file, JSON.stringify(document));
      return run(file, '--replicas', '1,3', '--bandwidth', '1Gbit', '--steps', '20', ...args);
    };

    it('refuses steps that take no time', async () => {
      for (const mode of ['async', 'sync', 'allreduce']) {
        const { code, error } = await forecast({ duration: 0, bytes: 0 }, '--mode', mode);
        expect(error).toMatch(/VENTURI_STEPS_NONE: A step of one worker takes no time[\s\S]*→ Record steps/);
        expect(code).toBe(3);
      }
    });

    it('takes any number for a server, and any number of lanes', async () => {
      const usual = await forecast({}, '--json');
      const { points, whatIf } = JSON.parse((await forecast({ lanes: 1e9, server: 1e9 }, '--json')).out);
      expect(whatIf.servers).toEqual([1]);
      const { points: expected } = JSON.parse(usual.out);
      expect(points.map((point: { throughput: object }) => point.throughput)).toEqual(
        expected.map((point: { throughput: object }) => point.throughput),
      );
    });
  });

  it('refuses clusters for a recording', async () => {
    const recording = join(import.meta.dirname, '../../../../test/golden/recordings');
    const { code, error } = await run(join(recording, 'pipeline-joined.venturi'), '--replicas', '2');
    expect(code).not.toBe(0);
    expect(error).toMatch(/clusters are forecast from traces of training steps/);
  });
});
