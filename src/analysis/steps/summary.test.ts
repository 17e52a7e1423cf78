import { describe, expect, it } from 'vitest';
import type { StepTrace } from '../../model/step-trace.ts';
import { parseStepTrace } from '../../model/step-trace-json.ts';
import { functionalStep, imported, jobText, kinetoText, twoSteps } from '../../probes/steps/kineto/trace.fixture.ts';
import { mergeRanks } from './merge-ranks.ts';
import { stepsSummary } from './summary.ts';

const US = 1000;
const micros = (parts: object): object =>
  Object.fromEntries(Object.entries(parts).map(([name, value]) => [name, Math.round(value) / US]));

describe('steps of one rank', () => {
  it('are told apart by what each moment goes to', async () => {
    const { time, mean, hasDevice } = stepsSummary(await imported(kinetoText(twoSteps)));
    expect([time.count, hasDevice]).toEqual([2, true]);
    // Kernels run for 400 µs; the 200 µs of the input come before them, and nothing else runs then.
    expect(micros(mean)).toEqual({
      ...{ duration: 999, compute: 400, communication: 0, copy: 0, input: 200, host: 399 },
      ...{ communicating: 0, loading: 200 },
    });
  });

  it('have kernels, streams, launches and a queue', async () => {
    const { kernels, idle, launches } = stepsSummary(await imported(kinetoText(twoSteps)));
    expect(kernels.map(({ name, count, total }) => [name, count, total / US])).toEqual([
      ['gemm_backward', 2, 600],
      ['gemm', 2, 200],
    ]);
    // Between the steps the stream waits for its launch; 1 µs passes from the first kernel to the second, which was launched in time.
    expect(idle.map(row => micros({ ...row, stream: 0 }))).toEqual([
      { stream: 0, busy: 800, forLaunch: 598, forStream: 0, handOver: 2 },
    ]);
    expect(launches).toMatchObject({ count: 4, queueMost: 2, shorterThanCall: 0 });
    expect(launches?.call.p50).toBe(10 * US);
    // From the first launch, at 260 µs, to the last end, at 676 µs, something is in the queue.
    expect((launches?.queueEmpty ?? 0) * 999).toBeCloseTo(999 - 416, 6);
  });

  it('have a critical path through the input, the host and the device', async () => {
    const { path } = stepsSummary(await imported(kinetoText(twoSteps)));
    expect(path.duration / US).toBeCloseTo(999, -1);
    expect(path.parts.input / US).toBe(200);
    expect(path.parts.compute / US).toBe(400);
  });

  it('have the sum of their critical paths where none waits for another', () => {
    const step = (number: number) => ({ number, start: number * 1e6, duration: 9e5 });
    const ops = [0, 1, 2].flatMap(number =>
      [2e5, 3e5].map((duration, at) => ({
        ...{ name: `kernel ${at}`, work: 'compute' as const, resource: 0, step: number },
        ...{ start: number * 1e6 + at * 2e5, duration },
      })),
    );
    const trace = (dependencies: readonly { from: number; to: number }[]) =>
      parseStepTrace(
        {
          format: 'venturi-steps',
          version: 1,
          resources: [{ name: 'device', kind: 'device' }],
          steps: [0, 1, 2].map(step),
          ops,
          dependencies: [0, 2, 4].map(from => ({ from, to: from + 1 })).concat(dependencies),
        },
        'trace.json',
      );
    for (const between of [
      [],
      [{ from: 1, to: 2 }],
      [{ from: 0, to: 4 }],
      [
        { from: 1, to: 2 },
        { from: 3, to: 4 },
      ],
    ]) {
      const { path } = stepsSummary(trace(between));
      // From the first kernel of the first step to the last step: the second is beside it then, and on no path.
      const total = between[0]?.from === 0 ? 200 + 500 : 1500;
      expect(path.duration / US).toBeCloseTo(total / 3, 6);
    }
  });

  it('take what is no kernel for computation where there is no device', async () => {
    const events = twoSteps.filter(({ cat }) => cat === 'user_annotation' || cat === 'cpu_op');
    const { hasDevice, mean, launches, kernels } = stepsSummary(await imported(kinetoText(events)));
    expect([hasDevice, launches]).toEqual([false, undefined]);
    expect(micros(mean)).toMatchObject({ compute: 130, input: 200, host: 669 });
    expect(kernels.map(({ name }) => name)).toEqual(['autograd::engine', 'aten::mm']);
  });

  it('compute nothing in a call that waits for threads of the host to communicate', async () => {
    const events = [
      { cat: 'user_annotation', name: 'ProfilerStep#1', at: 0, for: 1000 },
      { cat: 'cpu_op', name: 'forward', at: 0, for: 100 },
      { cat: 'cpu_op', name: 'backward', at: 100, for: 500 },
      { cat: 'cpu_op', name: 'c10d::allreduce_', at: 200, for: 300 },
      { cat: 'cpu_op', name: 'aten::copy_', at: 200, for: 50 },
      { cat: 'user_annotation', name: 'gloo:all_reduce', at: 210, for: 280, thread: 8001 },
      { cat: 'cpu_op', name: 'other backward', at: 300, for: 20, thread: 7001 },
    ];
    const { mean, kernels } = stepsSummary(await imported(kinetoText(events)));
    // 600 µs of operators, of which the call waits from 250 to 490, but for 20 µs in which another thread computes.
    expect(micros(mean)).toMatchObject({ compute: 380, communication: 220, host: 400, communicating: 280 });
    expect(kernels.find(({ name }) => name === 'c10d::allreduce_')?.work).toBe('communication');
  });

  it('compute nothing in an operator that waits for a functional collective', async () => {
    const { mean, kernels, path, launches } = stepsSummary(await imported(kinetoText(functionalStep)));
    // No device has a queue here.
    expect(launches).toBeUndefined();
    // Of 595 µs of gloo, the thread waits in operators for 166 and 80, asks for 5, and is in none for 25.
    expect(micros(mean)).toMatchObject({ communication: 276, communicating: 595 });
    expect(kernels.find(({ name }) => name === '_c10d_functional::wait_tensor')?.work).toBe('communication');
    expect(path.parts.communication / US).toBeGreaterThan(246);
  });
});

describe('ranks of one job', () => {
  const job = (second: object): Promise<StepTrace> =>
    Promise.all([imported(jobText({})), imported(jobText({ rank: 1, ...second }))]).then(mergeRanks);

  it('are aligned by the ends of their collectives, to the nanosecond', async () => {
    const trace = await job({ ahead: 12_345.678 });
    expect(trace.ranks.map(({ clockOffset }) => clockOffset)).toEqual([undefined, 12_345_678]);
    const { start, duration, resource } = trace.ops;
    const ends = trace.ranks.map((_, rank) =>
      [...start.keys()]
        .filter(op => trace.resources[resource[op] ?? 0]?.rank === rank)
        .map(op => (start[op] ?? 0) + (duration[op] ?? 0)),
    );
    expect(ends[1]).toEqual(ends[0]);
  });

  it('are left as they are where they have no collective in common', async () => {
    const lone = await imported(jobText({ rank: 1, ahead: 500 }).replaceAll('allreduce', 'broadcast'));
    const trace = mergeRanks([await imported(jobText({})), lone]);
    expect(trace.ranks.map(({ clockOffset }) => clockOffset)).toEqual([undefined, undefined]);
    expect(trace.assumptions).toContainEqual({ what: expect.stringMatching(/^ranks .* in common/), count: 1, of: 2 });
    expect((await job({})).assumptions.filter(({ what }) => what.startsWith('ranks'))).toEqual([]);
  });

  it('show who comes last, and how long the others wait', async () => {
    const { ranks, worldSize, collectives, parallelism } = stepsSummary(await job({ late: 100, ahead: 77 }));
    expect(worldSize).toBe(2);
    expect(ranks.map(({ rank, last }) => [rank, last])).toEqual([
      [0, 0],
      [1, 1],
    ]);
    expect(ranks.map(({ waited }) => waited / US)).toEqual([200, 0]);
    expect(
      collectives.map(({ name, perStep, bytesPerStep, groupSize }) => [name, perStep, bytesPerStep, groupSize]),
    ).toEqual([['allreduce', 2, 8e6, 2]]);
    expect(parallelism).toBe('data');
  });
});
