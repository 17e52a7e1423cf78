import { DEPENDENCY_CAUSES, DEPENDENCY_RELATIONS, OP_WORK, type StepTrace } from '../../../model/step-trace.ts';
import { importKineto } from './import.ts';

/** An event of a trace made for a test: times in µs. */
export interface FakeEvent {
  readonly cat: string;
  readonly name: string;
  readonly at: number | string;
  readonly for: number | string;
  readonly thread?: number;
  readonly stream?: number;
  readonly args?: Readonly<Record<string, unknown>>;
}

const MAIN_THREAD = 7000;

/** A trace of the PyTorch profiler as text. Times can be given as text, for digits that a number has not. */
export function kinetoText(events: readonly FakeEvent[], members: Readonly<Record<string, unknown>> = {}): string {
  const lines = events.map(({ cat, name, at, for: duration, thread = MAIN_THREAD, stream, args = {} }) => {
    const place = stream === undefined ? { pid: MAIN_THREAD, tid: thread } : { pid: 0, tid: stream };
    const all = stream === undefined ? args : { device: 0, stream, ...args };
    const head = JSON.stringify({ ph: 'X', cat, name, ...place }).slice(0, -1);
    return `${head}, "ts": ${at}, "dur": ${duration}, "args": ${JSON.stringify(all)}}`;
  });
  const head = JSON.stringify({ schemaVersion: 1, deviceProperties: [{ id: 0, name: 'GPU' }], ...members }).slice(
    0,
    -1,
  );
  return `${head}, "traceEvents": [\n${lines.join(',\n')}\n]}`;
}

export const imported = (text: string, stepMarker?: string): Promise<StepTrace> =>
  importKineto([new TextEncoder().encode(text)], { path: 'trace.json', stepMarker });

export const nameOf = ({ ops }: StepTrace, op: number): string => ops.names[ops.name[op] ?? 0] ?? '';
export const workOf = ({ ops }: StepTrace, op: number): string => OP_WORK[ops.work[op] ?? 0] ?? '';

/** Each as text: from, to, cause and relation. */
export function dependenciesOf(trace: StepTrace): string[] {
  const { from, to, cause, relation, guessed, count } = trace.dependencies;
  return Array.from({ length: count }, (_, at) => {
    const arrow = `${nameOf(trace, from[at] ?? 0)} > ${nameOf(trace, to[at] ?? 0)}`;
    const why = `${DEPENDENCY_CAUSES[cause[at] ?? 0]} ${DEPENDENCY_RELATIONS[relation[at] ?? 0]}`;
    return `${arrow}: ${why}${guessed[at] === 1 ? ' guessed' : ''}`;
  });
}

/**
 * A step of 1 ms with two buckets over gloo: 100 µs of computation, 400,000 bytes asked for, 300 µs of computation in which they arrive, 40,000 bytes asked for, and a
 * wait of 200 µs for these before their gradients are copied. The thread of gloo notes its end late.
 */
export const glooStep: readonly FakeEvent[] = [
  { cat: 'user_annotation', name: 'ProfilerStep#1', at: 0, for: 1000 },
  { cat: 'cpu_op', name: 'forward', at: 0, for: 100 },
  { cat: 'cpu_op', name: 'c10d::allreduce_', at: 100, for: 10 },
  ...[
    { at: 105, for: 200, thread: 8001, elements: 100_000 },
    { at: 415, for: 220, thread: 8002, elements: 10_000 },
  ].map(({ elements, ...place }) => ({
    cat: 'user_annotation',
    name: 'gloo:all_reduce',
    args: { 'Input Dims': [[elements]], 'Input type': ['float'] },
    ...place,
  })),
  { cat: 'cpu_op', name: 'backward', at: 110, for: 300 },
  { cat: 'cpu_op', name: 'c10d::allreduce_', at: 410, for: 10 },
  { cat: 'cpu_op', name: 'torch.distributed.ddp.reducer::copy_bucket_to_grad', at: 420, for: 10 },
  { cat: 'cpu_op', name: 'torch.distributed.ddp.reducer::copy_bucket_to_grad', at: 630, for: 10 },
  { cat: 'cpu_op', name: 'optimizer', at: 640, for: 360 },
];

/** A step of 1 ms with two functional collectives over gloo: both are asked for, and each is waited for in an operator, the first in one inside another. */
export const functionalStep: readonly FakeEvent[] = [
  { cat: 'user_annotation', name: 'ProfilerStep#1', at: 0, for: 1000 },
  { cat: 'cpu_op', name: 'forward', at: 0, for: 100 },
  { cat: 'cpu_op', name: '_c10d_functional::all_reduce', at: 100, for: 12 },
  { cat: 'cpu_op', name: 'c10d::allreduce_', at: 105, for: 5 },
  { cat: 'cpu_op', name: '_c10d_functional::all_reduce', at: 115, for: 10 },
  { cat: 'cpu_op', name: 'c10d::allreduce_', at: 118, for: 5 },
  ...[
    { at: 115, for: 480, thread: 8001 },
    { at: 125, for: 585, thread: 8002 },
  ].map(place => ({
    cat: 'user_annotation',
    name: 'gloo:all_reduce',
    args: { 'Input Dims': [[100_000]], 'Input type': ['float'] },
    ...place,
  })),
  { cat: 'cpu_op', name: 'backward', at: 130, for: 270 },
  { cat: 'cpu_op', name: '_c10d_functional::wait_tensor', at: 400, for: 210 },
  { cat: 'cpu_op', name: 'PythonSubclass', at: 410, for: 190 },
  { cat: 'cpu_op', name: '_c10d_functional::wait_tensor', at: 430, for: 166 },
  { cat: 'cpu_op', name: '_c10d_functional::wait_tensor', at: 620, for: 80 },
  { cat: 'cpu_op', name: 'optimizer', at: 710, for: 290 },
];

/**
 * Two steps of 1 ms: a batch, an operator that launches a kernel, backward in another thread, and a call that waits for the device.
 */
export const twoSteps: readonly FakeEvent[] = [0, 1].flatMap(step => {
  const at = 1000 * step;
  const id = 10 * step;
  return [
    { cat: 'user_annotation', name: `ProfilerStep#${step + 1}`, at, for: 999 },
    { cat: 'user_annotation', name: 'enumerate(DataLoader)#_Iter.__next__', at: at + 10, for: 200 },
    { cat: 'cpu_op', name: 'aten::mm', at: at + 250, for: 50 },
    { cat: 'cuda_runtime', name: 'cudaLaunchKernel', at: at + 260, for: 10, args: { correlation: id + 1 } },
    { cat: 'kernel', name: 'gemm', at: at + 275, for: 100, stream: 7, args: { correlation: id + 1 } },
    { cat: 'cpu_op', name: 'autograd::engine', at: at + 320, for: 80, thread: 7001 },
    {
      cat: 'cuda_runtime',
      name: 'cudaLaunchKernel',
      at: at + 330,
      for: 10,
      thread: 7001,
      args: { correlation: id + 2 },
    },
    { cat: 'kernel', name: 'gemm_backward', at: at + 376, for: 300, stream: 7, args: { correlation: id + 2 } },
    { cat: 'cuda_runtime', name: 'cudaDeviceSynchronize', at: at + 500, for: 180, args: { correlation: id + 3 } },
  ];
});

export interface FakeJob {
  readonly rank?: number;
  readonly steps?: number;
  /** µs that the training thread waits for a batch. */
  readonly input?: number;
  /** The training thread prepares batches itself. */
  readonly alone?: boolean;
  /** µs of each kernel of forward and backward. */
  readonly kernel?: number;
  /** µs that this rank comes later to its collectives than the first. */
  readonly late?: number;
  /** µs that its clock is ahead of the first one's. */
  readonly ahead?: number;
}

/** A rank of a job of two: steps of an input, forward, backward with an all-reduce for each of two buckets, and an optimizer. */
export function jobText(job: FakeJob): string {
  const { rank = 0, steps = 4, input = 1000, kernel = 500, late = 0, ahead = 0, alone = false } = job;
  const events: FakeEvent[] = [];
  let at = 1_700_000_000_000 + ahead;
  let correlation = 0;
  const launch = (name: string, when: number, start: number, duration: number, stream: number, thread = 7000): void => {
    correlation++;
    const cat = name.startsWith('Memcpy') ? 'gpu_memcpy' : 'kernel';
    events.push(
      { cat: 'cuda_runtime', name: 'cudaLaunchKernel', at: when, for: 8, thread, args: { correlation } },
      {
        cat,
        name,
        at: start,
        for: duration,
        stream,
        args: { correlation, ...(cat === 'kernel' ? {} : { bytes: 4096 }) },
      },
    );
  };
  const waitEvent = (when: number, thread = 7000): void => {
    events.push({ cat: 'cuda_runtime', name: 'cudaStreamWaitEvent', at: when, for: 1, thread });
  };
  for (let step = 0; step < steps; step++) {
    const forward = at + input + 40;
    const backward = forward + 2 * kernel + 40;
    const reduced = backward + 2 * kernel + 250;
    const length = input + 4 * kernel + 400;
    events.push({ cat: 'user_annotation', name: `ProfilerStep#${step + 10}`, at, for: length });
    events.push({
      cat: 'user_annotation',
      name: `enumerate(DataLoader)#_${alone ? 'SingleProcess' : 'MultiProcessing'}DataLoaderIter.__next__`,
      at: at + 10,
      for: input,
    });
    launch('Memcpy HtoD (Pinned -> Device)', forward - 15, forward, 20, 7);
    for (const [turn, name] of ['conv', 'gemm'].entries()) {
      const when = forward + 20 + 30 * turn;
      events.push({ cat: 'cpu_op', name: `aten::${name}`, at: when, for: 25 });
      launch(`void ${name}_kernel<float>(int)`, when + 5, forward + 21 + turn * kernel, kernel - 1, 7);
    }
    events.push({
      cat: 'cpu_op',
      name: 'autograd::engine::evaluate_function: Backward',
      at: forward + 120,
      for: 150,
      thread: 7001,
    });
    for (const turn of [0, 1]) {
      const when = forward + 130 + 60 * turn;
      const start = backward + turn * kernel;
      launch('void backward_kernel<float>(int)', when, start, kernel - 1, 7, 7001);
      const described = {
        'Collective name': 'allreduce',
        'In msg nelems': 1_000_000,
        'Out msg nelems': 1_000_000,
        dtype: 'Float',
        'Group size': 2,
        'Process Group Name': '0',
        'Process Group Ranks': '[0, 1]',
      };
      events.push({ cat: 'cpu_op', name: 'record_param_comms', at: when + 20, for: 30, thread: 7001, args: described });
      // All ranks leave a collective together, however late one of them comes.
      const from = start + kernel + late;
      waitEvent(when + 22, 7001);
      launch('ncclDevKernel_AllReduce_Sum_f32', when + 25, from, 250 - late, 40, 7001);
    }
    waitEvent(reduced - 120);
    launch('void sgd_kernel<float>(int)', reduced - 110, reduced + 5, 40, 7);
    events.push({ cat: 'cuda_runtime', name: 'cudaDeviceSynchronize', at: reduced - 90, for: 145 });
    at += length + 5;
  }
  const distributedInfo = { backend: 'nccl', rank, world_size: 2 };
  return kinetoText(events, { distributedInfo, baseTimeNanoseconds: 1_700_000_000_000_000_000 });
}
