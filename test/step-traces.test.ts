import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { criticalPath } from '../src/analysis/steps/critical-path.ts';
import { dagOf } from '../src/analysis/steps/dag.ts';
import { joinFiles } from '../src/analysis/steps/join-files.ts';
import { stepsSummary } from '../src/analysis/steps/summary.ts';
import { OP_WORK, type StepTrace } from '../src/model/step-trace.ts';
import { meanError, replayHeldOut } from '../src/prediction/replay/replay.ts';
import { allReduceTime } from '../src/prediction/scaleout/all-reduce.ts';
import { REQUEST } from '../src/prediction/scaleout/request.ts';
import { stepsOf } from '../src/prediction/scaleout/steps-of.ts';
import { ScaleoutJob } from '../src/prediction/scaleout/tasks.ts';
import { importKineto } from '../src/probes/steps/kineto/import.ts';
import { readSteps } from '../src/probes/steps/read.ts';
import { predictCluster } from '../src/workflow/targets/steps/predict.ts';
import { predictInput } from '../src/workflow/targets/steps/predict-input.ts';

/** Public traces beside the checkout; they are no part of it. */
const folder = fileURLToPath(new URL('../../shared/traces/', import.meta.url));
const isThere = existsSync(folder);
const traces = new Map<string, Promise<StepTrace>>();
function read(name: string): Promise<StepTrace> {
  const trace = traces.get(name) ?? readSteps(join(folder, name));
  traces.set(name, trace);
  return trace;
}

describe.skipIf(!isThere)(`real traces${isThere ? '' : ` (SKIPPED: there is no ${folder})`}`, () => {
  it.each([
    ['h200_resnet50_w0.json.gz', 6, 66_689],
    ['h200_resnet50_w2.json.gz', 6, 30_235],
    ['hta_amd_mi250.json.gz', 1, 112],
    ['hta_cp_alexnet.json.gz', 1, 826],
    ['hta_cp_event_sync_multi_stream.json.gz', 1, 51],
    ['hta_cp_simple_add_input.json.gz', 1, 796],
    ['hta_cpu_only_gloo.json.gz', 1, 16],
    ['hta_et_simple_add_kineto.json.gz', 1, 55],
    ['hta_nccl_data_ddp2_a100.json.gz', 3, 26_908],
    ['hta_ns_resolution_v100.json.gz', 5, 45_414],
    ['hta_two_ranks_0.json.gz', 2, 4_814],
    ['hta_two_ranks_1.json.gz', 2, 4_679],
  ])('%s has %i steps and %i ops', async (name, steps, ops) => {
    const trace = await read(name);
    expect([trace.steps.length, trace.ops.count]).toEqual([steps, ops]);
  });

  it('tells the same of a recording in files of two steps each', async () => {
    const name = 'h200_resnet50_w0.json.gz';
    const whole = await read(name);
    const parts = parted(JSON.parse(gunzipSync(readFileSync(join(folder, name))).toString()), 2);
    const files = await Promise.all(
      parts.map(part => importKineto([Buffer.from(JSON.stringify(part))], { path: name })),
    );
    const [first, ...others] = files;
    if (first === undefined) throw new Error('There are no parts.');
    const trace = joinFiles([first, ...others]);
    expect(files.map(({ steps }) => steps.length)).toEqual([2, 2, 2]);
    expect(trace.resources).toHaveLength(whole.resources.length);
    const [one, other] = [stepsSummary(whole), stepsSummary(trace)];
    expect(other.steps).toEqual(one.steps);
    expect(other.kernels).toEqual(one.kernels);
    expect(other.path.duration / one.path.duration).toBeCloseTo(1, 2);
    expect(meanError(replayHeldOut(trace, 0))).toBeLessThan(0.05);
  });

  it('keeps the nanoseconds of a trace with Unix times', async () => {
    const { base, ops } = await read('hta_ns_resolution_v100.json.gz');
    const first = BigInt(base) + BigInt(ops.start[0] ?? 0);
    expect(first % 1000n).not.toBe(0n);
    const text = gunzipSync(readFileSync(join(folder, 'hta_ns_resolution_v100.json.gz'))).toString('latin1');
    expect(text).toContain(`"ts": ${first / 1000n}.${String(first % 1000n).padStart(3, '0')}`);
  });

  it('knows the bytes that DDP reduces in a step of ResNet-50', async () => {
    const trace = await read('hta_nccl_data_ddp2_a100.json.gz');
    const { work, bytes, step, collective } = trace.ops;
    const kernels = [...work.keys()].filter(op => OP_WORK[work[op] ?? 0] === 'communication' && step[op] === 1);
    const reduced = kernels.filter(op => trace.collectives[collective[op] ?? -1]?.name === 'allreduce');
    const total = reduced.reduce((sum, op) => sum + (bytes[op] ?? 0), 0);
    // 25,557,032 parameters of 4 bytes.
    expect(total).toBe(25_557_032 * 4);
  });

  it('has the critical path that HTA expects', async () => {
    const trace = await read('hta_cp_simple_add_input.json.gz');
    const overlay = join(folder, 'hta_cp_simple_add_expected_overlay.json.gz');
    const { traceEvents } = JSON.parse(gunzipSync(readFileSync(overlay)).toString());
    const expected = new Set<string>(
      traceEvents
        .filter((event: { args?: { critical?: number } }) => event.args?.critical === 1)
        .map((event: { name: string; ts: number; dur: number }) => `${event.ts} ${event.dur} ${event.name}`),
    );
    const { ops } = trace;
    const chosen = Uint8Array.from(ops.work, work => (OP_WORK[work] === 'annotation' ? 0 : 1));
    const dag = dagOf(trace, chosen);
    const told = (op: number): string => {
      const micros = (BigInt(trace.base) + BigInt(ops.start[op] ?? 0)) / 1000n;
      return `${micros} ${(ops.duration[op] ?? 0) / 1000} ${ops.names[ops.name[op] ?? 0]}`;
    };
    // HTA leaves out events of no duration.
    const found = [...criticalPath(dag).nodes].map(node => dag.op[node] ?? 0).filter(op => (ops.duration[op] ?? 0) > 0);
    const ours = new Set(found.map(told));
    const [missing, more] = [
      [...expected].filter(event => !ours.has(event)),
      [...ours].filter(event => !expected.has(event)),
    ];
    // Two places of 624 differ. HTA counts nothing for the last call that waits for the device; and 41 µs before another, it does not connect a
    // memset with its launch, so that two kernels behind it are on no path from the host.
    expect(missing.map(event => event.split(' ')[2])).toEqual(['cudaLaunchKernel']);
    expect(more.map(event => event.split(' ')[2])).toEqual([
      'ampere_sgemm_32x32_sliced1x4_tn',
      'void',
      'cudaDeviceSynchronize',
    ]);
    expect(expected.size).toBe(624);
  });

  it('says from a trace without workers what two of them would bring', async () => {
    const { forecasts } = await predictInput(join(folder, 'h200_resnet50_w0.json.gz'), {
      workers: [0, 2, 16],
      cores: 16,
    });
    const [none, two, many] = forecasts.map(({ step }) => step);
    // Measured without a profiler: 394.5 ms without workers, 191.2 ms with two.
    for (const [step, measured] of [
      [none, 394.5e6],
      [two, 191.2e6],
    ] as const) {
      expect(step?.low).toBeLessThan(measured);
      expect(step?.high).toBeGreaterThan(measured);
    }
    expect((two?.high ?? 0) / (two?.low ?? 1)).toBeLessThan(6);
    expect(many?.high).toBeLessThan(two?.high ?? 0);
  });

  it.each([
    'h200_resnet50_w0.json.gz',
    'h200_resnet50_w2.json.gz',
    'hta_nccl_data_ddp2_a100.json.gz',
    'hta_ns_resolution_v100.json.gz',
    'hta_two_ranks_0.json.gz',
    'hta_two_ranks_1.json.gz',
  ])('%s is replayed within 5 %% on steps that nothing was fitted to', async name => {
    expect(meanError(replayHeldOut(await read(name), 0))).toBeLessThan(0.05);
  });

  describe('DDP on more ranks', () => {
    const name = 'hta_nccl_data_ddp2_a100.json.gz';
    const [one, gigabit] = [1.25e9, 1.25e8];

    /** Seconds of a step, by formula: each bucket begins when its gradients are there and the one before is reduced; what follows the last waits for it. */
    const closedForm = ({ ready, bytes, tail, duration }: Recorded, workers: number, bandwidth: number): number => {
      const fabric = { ...REQUEST, networkBandwidth: bandwidth, networkLatency: 0 };
      const reduced = bytes.reduce(
        (free, size, at) => Math.max(free, ready[at] ?? 0) + allReduceTime(fabric, workers, size),
        0,
      );
      return Math.max(duration, reduced + tail);
    };

    it('takes what buckets take that overlap backward, within 1 %', async () => {
      const trace = await read(name);
      const { profile, lanes } = stepsOf(trace, 1);
      for (const [step, recorded] of recordedSteps(trace).entries()) {
        // 25,557,032 parameters of 4 bytes.
        expect(recorded.bytes).toHaveLength(5);
        const steps = profile.steps.slice(step, step + 1);
        for (const bandwidth of [one, gigabit]) {
          const request = { ...REQUEST, mode: 'allreduce', lanes, workers: [1], bandwidth, steps: 10 } as const;
          const job = new ScaleoutJob({ ...profile, steps }, request);
          for (let workers = 1; workers <= 64; workers++) {
            const { throughput } = job.run({ servers: 1, workers, start: 'joint', resample: 0 });
            const expected = workers / closedForm(recorded, workers, bandwidth);
            expect(Math.abs(throughput / expected - 1)).toBeLessThan(0.01);
          }
        }
      }
    });

    it('is forecast for 1 to 64 of them: no faster than the fastest step, no slower than with the worst of every step', async () => {
      const replicas = Array.from({ length: 64 }, (_, at) => at + 1);
      const { points } = await predictCluster(join(folder, name), { replicas, bandwidth: one });
      const recorded = recordedSteps(await read(name));
      const worst = {
        ready: [0, 1, 2, 3, 4].map(at => Math.max(...recorded.map(({ ready }) => ready[at] ?? 0))),
        bytes: recorded[0]?.bytes ?? [],
        tail: Math.max(...recorded.map(({ tail }) => tail)),
        duration: Math.max(...recorded.map(({ duration }) => duration)),
      };
      for (const { workers, stepSeconds } of points) {
        const times = recorded.map(step => closedForm(step, workers, one));
        expect(stepSeconds).toBeGreaterThan(0.99 * Math.min(...times));
        expect(stepSeconds).toBeLessThan(1.01 * closedForm(worst, workers, one));
      }
    });
  });
});

interface ChromeTrace {
  readonly traceEvents: readonly {
    readonly cat?: string;
    readonly name: string;
    readonly ts?: number;
    readonly args?: { readonly correlation?: number; readonly stream?: number };
  }[];
}

/** A trace as a profiler would have written it that keeps so many steps at a time: work of a device is where its launch is. */
function parted(trace: ChromeTrace, stepsEach: number): ChromeTrace[] {
  const starts = trace.traceEvents
    .flatMap(({ cat, name, ts = 0 }) => (cat === 'user_annotation' && name.startsWith('ProfilerStep#') ? [ts] : []))
    .sort((a, b) => a - b)
    .filter((_, at) => at % stepsEach === 0);
  const partAt = (ts: number): number =>
    Math.max(
      0,
      starts.findLastIndex(start => start <= ts),
    );
  const launchedIn = new Map<number, number>();
  for (const { ts = 0, args: { correlation = -1, stream } = {} } of trace.traceEvents) {
    if (stream === undefined) launchedIn.set(correlation, partAt(ts));
  }
  const partOf = ({ ts = 0, args: { correlation = -1, stream } = {} }: ChromeTrace['traceEvents'][number]): number =>
    (stream === undefined ? undefined : launchedIn.get(correlation)) ?? partAt(ts);
  return starts.map((_, part) => ({
    ...trace,
    traceEvents: trace.traceEvents.filter(event => partOf(event) === part),
  }));
}

/** What a formula needs of a recorded step, seconds from its start: nothing of it is concluded from dependencies. */
interface Recorded {
  /** By bucket: when it began, which was when its gradients were there, as the one before had ended; and its bytes. */
  readonly ready: readonly number[];
  readonly bytes: readonly number[];
  /** Kernels and copies of the other stream after the last bucket. */
  readonly tail: number;
  readonly duration: number;
}

function recordedSteps({ ops, steps, resources, collectives }: StepTrace): Recorded[] {
  return steps.map(({ start, duration }, step) => {
    const own = [...ops.step.keys()].filter(op => ops.step[op] === step);
    const onDevice = own.filter(op => resources[ops.resource[op] ?? 0]?.kind === 'device');
    const buckets = onDevice.filter(op => collectives[ops.collective[op] ?? -1]?.name === 'allreduce');
    const ends = buckets.map(op => (ops.start[op] ?? 0) + (ops.duration[op] ?? 0));
    for (const [at, op] of buckets.slice(1).entries()) expect(ops.start[op]).toBeGreaterThan(ends[at] ?? 0);
    const after = onDevice.filter(op => (ops.start[op] ?? 0) >= Math.max(...ends));
    return {
      ready: buckets.map(op => ((ops.start[op] ?? 0) - start) / 1e9),
      bytes: buckets.map(op => ops.bytes[op] ?? 0),
      tail: after.reduce((sum, op) => sum + (ops.duration[op] ?? 0), 0) / 1e9,
      duration: duration / 1e9,
    };
  });
}
