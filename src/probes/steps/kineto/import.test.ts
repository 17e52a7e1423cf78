import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DEPENDENCY_CAUSES, DEPENDENCY_RELATIONS, OP_WORK, type StepTrace } from '../../../model/step-trace.ts';
import { importKineto } from './import.ts';
import { type FakeEvent, functionalStep, glooStep, imported, kinetoText, twoSteps } from './trace.fixture.ts';

const nameOf = ({ ops }: StepTrace, op: number): string => ops.names[ops.name[op] ?? 0] ?? '';
const workOf = ({ ops }: StepTrace, op: number): string => OP_WORK[ops.work[op] ?? 0] ?? '';

function dependenciesOf(trace: StepTrace): string[] {
  const { from, to, cause, relation, guessed, count } = trace.dependencies;
  return Array.from({ length: count }, (_, at) => {
    const arrow = `${nameOf(trace, from[at] ?? 0)} > ${nameOf(trace, to[at] ?? 0)}`;
    const why = `${DEPENDENCY_CAUSES[cause[at] ?? 0]} ${DEPENDENCY_RELATIONS[relation[at] ?? 0]}`;
    return `${arrow}: ${why}${guessed[at] === 1 ? ' guessed' : ''}`;
  });
}

const refusal = (code: string, message: RegExp): object =>
  expect.objectContaining({ code, message: expect.stringMatching(message), remedy: expect.any(String) });

describe('a trace of the PyTorch profiler', () => {
  it('becomes steps, ops on threads and streams, and what waits for what', async () => {
    const trace = await imported(kinetoText(twoSteps, { distributedInfo: { rank: 3, world_size: 8 } }));
    expect(trace.ranks).toEqual([{ rank: 3, name: 'rank 3', process: '7000', worldSize: 8, device: 'GPU' }]);
    expect(trace.resources.map(({ name, kind }) => `${name}: ${kind}`)).toEqual([
      'main thread: host',
      'thread 7001: host',
      'GPU 0 stream 7: device',
    ]);
    expect(trace.steps.map(({ number, duration }) => [number, duration])).toEqual([
      [1, 999_000],
      [2, 999_000],
    ]);
    const first = [...trace.ops.step.keys()].filter(op => trace.ops.step[op] === 0);
    expect(first.map(op => `${nameOf(trace, op)}: ${workOf(trace, op)}`)).toEqual([
      'ProfilerStep#1: other',
      'enumerate(DataLoader)#_Iter.__next__: input',
      'aten::mm: operator',
      'cudaLaunchKernel: launch',
      'gemm: compute',
      'wait for another thread (backward): sync',
      'autograd engine: other',
      'autograd::engine: operator',
      'cudaLaunchKernel: launch',
      'gemm_backward: compute',
      'cudaDeviceSynchronize: sync',
    ]);
    expect(first.map(op => trace.ops.parent[op])).toEqual([-1, 0, 0, 2, -1, 0, -1, 6, 7, -1, 0]);
    const expected = [
      'wait for another thread (backward) > autograd engine: thread start-start guessed',
      'autograd engine > wait for another thread (backward): thread end-end guessed',
      'cudaLaunchKernel > gemm: launch start-start',
      'cudaLaunchKernel > gemm_backward: launch start-start',
      'gemm_backward > cudaDeviceSynchronize: sync end-end',
    ];
    expect(dependenciesOf(trace).sort()).toEqual([...expected, ...expected].sort());
    expect(trace.assumptions).toEqual([
      { what: expect.stringContaining('waits of the training thread for another'), count: 2, of: 2 },
    ]);
  });

  it('is the same in the words of every generation', async () => {
    const rename = (names: Readonly<Record<string, string>>): FakeEvent[] =>
      twoSteps.map(event => ({ ...event, cat: names[event.cat] ?? event.cat }));
    const today = await imported(kinetoText(twoSteps));
    const words = { cpu_op: 'Operator', user_annotation: 'Operator', cuda_runtime: 'Runtime', kernel: 'Kernel' };
    expect(await imported(kinetoText(rename(words)))).toEqual(today);
    expect(await imported(kinetoText(rename({ cuda_runtime: 'cuda_driver' })))).toEqual(today);
  });

  it('keeps nanoseconds that a number cannot hold', async () => {
    const events = [
      { cat: 'cpu_op', name: 'a', at: '1712195495519689.047', for: '0.001' },
      { cat: 'cpu_op', name: 'b', at: '1712195495519689.049', for: '12.3456' },
      { cat: 'cpu_op', name: 'c', at: '1712195495519690', for: '1e1' },
    ];
    const { base, ops } = await imported(kinetoText(events, { baseTimeNanoseconds: 1000 }));
    const moments = [...ops.start].map(start => (BigInt(base) + BigInt(start)).toString());
    expect(moments).toEqual(['1712195495519690047', '1712195495519690049', '1712195495519691000']);
    expect([...ops.duration]).toEqual([1, 12_346, 10_000]);
  });

  it('does not depend on where its bytes are cut into pieces', async () => {
    const bytes = new TextEncoder().encode(kinetoText(twoSteps, { more: { nested: ['}', '\\"', { a: [1] }] } }));
    const whole = await importKineto([bytes], { path: 'trace.json' });
    const cuts = fc.array(fc.integer({ min: 0, max: bytes.length }), { maxLength: 20 });
    await fc.assert(
      fc.asyncProperty(cuts, async places => {
        const bounds = [0, ...places.sort((a, b) => a - b), bytes.length];
        const pieces = bounds.slice(1).map((end, at) => bytes.slice(bounds[at], end));
        expect(await importKineto(pieces, { path: 'trace.json' })).toEqual(whole);
      }),
      { numRuns: 50 },
    );
  });

  it('is refused wherever it is cut off', async () => {
    const text = kinetoText(twoSteps);
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: text.length - 1 }), async end => {
        const refused = refusal('VENTURI_STEPS_UNREADABLE', /ends in the middle/);
        await expect(imported(text.slice(0, end))).rejects.toEqual(refused);
      }),
      { numRuns: 100 },
    );
  });

  it.each([
    ['nothing', '', /ends in the middle/],
    ['no object', '"text"', /no JSON object/],
    ['no events', '{"a": 1}', /no list of traceEvents/],
    ['an event that is none', '{"traceEvents": [1]}', /an event is no JSON object/],
    ['no comma', '{"traceEvents": [{} {}]}', /a comma is missing/],
    ['no colon', '{"traceEvents": [{"ph" "X"}]}', /a colon is missing/],
    ['no value', '{"traceEvents": [{"ph": }]}', /a value is missing/],
    ['a value without end', `{"traceEvents": [{"name": "${'x'.repeat(17 << 20)}`, /larger than 16 MiB/],
  ])('is refused with %s', async (_, text, why) => {
    await expect(imported(text)).rejects.toEqual(refusal('VENTURI_STEPS_UNREADABLE', why));
  });

  it('is refused where nothing in it says anything of steps, or a mark is wanted that it has not', async () => {
    const none = (text: string, marker?: string) =>
      expect(imported(text, marker)).rejects.toEqual(refusal('VENTURI_STEPS_NONE', /no /));
    await none('{"traceEvents": []}');
    await none(kinetoText([{ cat: 'python_function', name: 'f', at: 0, for: 1 }]));
    await none(kinetoText(twoSteps), 'iteration');
  });

  it('leaves out what has no usable time, whatever it is, and says so', async () => {
    const odd = ['"soon"', 'null', '[1]', '{"a": 1}', '-5', '1e400', '99999999999999999999', 'true'];
    const events = [
      ...twoSteps,
      ...odd.map(value => ({ cat: 'cpu_op', name: 'odd', at: 5, for: value })),
      ...odd.filter(value => value !== '-5').map(value => ({ cat: 'cpu_op', name: 'odd', at: value, for: 5 })),
    ];
    const trace = await imported(kinetoText(events));
    expect(trace.ops.names).not.toContain('odd');
    expect(trace.assumptions).toContainEqual({
      what: 'events without a time: left out',
      count: 2 * odd.length - 1,
      of: events.length,
    });
  });

  it('survives depth, long names, escapes and members of odd types', async () => {
    const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
    const text = kinetoText([
      { cat: 'cpu_op', name: 'tab\t"quote" \u{1f600}', at: 0, for: 1 },
      { cat: 'cpu_op', name: 'x'.repeat(1_000_000), at: 2, for: 1 },
      { cat: 'kernel', name: 'k', at: 3, for: 1, stream: 7, args: { correlation: 'none', bytes: {}, stream: [] } },
    ]).replace('"args": {}', `"args": {"Concrete Inputs": ${deep}}`);
    const trace = await imported(text);
    expect(nameOf(trace, 0)).toBe('tab\t"quote" \u{1f600}');
    expect(nameOf(trace, 1)).toMatch(/^x{2048}$/);
    expect(workOf(trace, 2)).toBe('compute');
  });

  it('takes steps from annotations of another name, the outer ones of nested ones', async () => {
    const named = twoSteps.flatMap(event => {
      if (!event.name.startsWith('ProfilerStep#')) return [event];
      return [
        { ...event, name: 'iteration 4' },
        { ...event, name: 'iteration 5', at: Number(event.at) + 1, for: 300 },
      ];
    });
    const { steps } = await imported(kinetoText(named), 'iteration');
    expect(steps.map(({ number, duration }) => [number, duration])).toEqual([
      [4, 999_000],
      [4, 999_000],
    ]);
    const { steps: whole, unmarked } = await imported(kinetoText(named));
    expect(whole).toEqual([{ rank: 0, number: 0, start: 0, duration: 1_999_000 }]);
    expect(unmarked).toEqual({ candidates: ['iteration 4', 'iteration 5'] });
  });
});

it('names what could mark steps: what recurs, also by number, the longest first, and waits for nothing', async () => {
  const annotated = (name: string, at: number, duration: number): FakeEvent => ({
    ...{ cat: 'user_annotation', name, at, for: duration },
  });
  const each = [0, 1, 2].flatMap(step => [
    annotated('forward', 100 * step + 10, 30),
    annotated(`batch_${step}`, 100 * step, 95),
    annotated('enumerate(DataLoader)#_Iter.__next__', 100 * step, 5),
    annotated('optimizer', 100 * step + 60, 10),
    annotated('zero'.repeat(50), 100 * step + 80, 10),
    { cat: 'cpu_op', name: 'aten::mm', at: 100 * step + 20, for: 10 },
  ]);
  const { unmarked } = await imported(kinetoText([...each, annotated('epoch 1', 0, 300)]));
  expect(unmarked).toEqual({ candidates: ['batch', 'forward', 'optimizer'] });
  expect((await imported(kinetoText(each), 'batch')).steps).toHaveLength(3);
  expect((await imported(kinetoText(each), 'batch')).unmarked).toBeUndefined();
  const once = await imported(kinetoText([{ cat: 'cpu_op', name: 'aten::mm', at: 20, for: 10 }]));
  expect(once.unmarked).toEqual({ candidates: [] });
});

describe('what waits for work of a device', () => {
  const call = (name: string, at: number, duration: number, correlation: number): FakeEvent => ({
    cat: 'cuda_runtime',
    name,
    at,
    for: duration,
    args: { correlation },
  });
  const kernel = (name: string, at: number, duration: number, stream: number, correlation: number): FakeEvent => ({
    cat: 'kernel',
    name,
    at,
    for: duration,
    stream,
    args: { correlation },
  });
  /** A kernel on each of two streams, and calls between their launches. */
  const twoStreams = (...between: FakeEvent[]): FakeEvent[] => [
    call('cudaLaunchKernel', 0, 5, 1),
    kernel('first', 10, 100, 7, 1),
    ...between,
    call('cudaLaunchKernel', 30, 5, 2),
    kernel('second', 115, 50, 20, 2),
  ];
  const syncs = (trace: StepTrace): string[] => dependenciesOf(trace).filter(text => text.includes(': sync '));

  it('is told by sync events', async () => {
    const sync = (name: string, correlation: number, args: object): FakeEvent => ({
      cat: 'cuda_sync',
      name,
      at: 20,
      for: 1,
      stream: 20,
      args: { correlation, ...args },
    });
    const onFirst = { wait_on_stream: 7, wait_on_cuda_event_record_corr_id: 3 };
    const events = twoStreams(
      call('cudaEventRecord', 15, 1, 3),
      call('cudaStreamWaitEvent', 20, 1, 4),
      sync('Stream Wait Event', 4, onFirst),
      call('cudaEventSynchronize', 200, 1, 5),
      sync('Event Sync', 5, onFirst),
      call('cudaStreamSynchronize', 210, 1, 6),
      sync('Stream Sync', 6, {}),
    );
    expect(syncs(await imported(kinetoText(events)))).toEqual([
      'first > second: sync end-start',
      'first > cudaEventSynchronize: sync end-end',
      'second > cudaStreamSynchronize: sync end-end',
    ]);
  });

  it('is concluded from times without them, and counted', async () => {
    const events = twoStreams(call('cudaStreamWaitEvent', 20, 1, 4), call('hipStreamSynchronize', 40, 130, 5));
    const trace = await imported(kinetoText(events));
    expect(syncs(trace)).toEqual([
      'first > second: sync end-start guessed',
      'second > hipStreamSynchronize: sync end-end guessed',
    ]);
    expect(trace.assumptions[0]).toMatchObject({ count: 2, of: 2 });
  });

  it('is nothing where the call returned before any work ended', async () => {
    expect(syncs(await imported(kinetoText(twoStreams(call('cudaEventSynchronize', 20, 5, 5)))))).toEqual([]);
  });

  it('is a copy that the call which launched it waited for', async () => {
    const copy = { ...kernel('Memcpy DtoH (Device -> Pageable)', 12, 10, 7, 1), cat: 'gpu_memcpy' };
    const trace = await imported(kinetoText([call('cudaMemcpyAsync', 0, 30, 1), copy]));
    expect(syncs(trace)).toEqual(['Memcpy DtoH (Device -> Pageable) > cudaMemcpyAsync: sync end-end guessed']);
  });

  it.each([
    ['Memcpy DtoD (Device -> Device)', 'cudaMemcpyAsync'],
    ['Memcpy DtoD (Device -> Device)', 'cudaMemcpy'],
    ['Memcpy PtoP (Device -> Device)', 'cudaMemcpyAsync'],
    ['Memcpy HtoD (Pinned -> Device)', 'cudaMemcpyAsync'],
  ])('is no %s of %s, which ended early because it is short', async (name, launching) => {
    const copy = { ...kernel(name, 12, 10, 7, 1), cat: 'gpu_memcpy' };
    expect(syncs(await imported(kinetoText([call(launching, 0, 30, 1), copy])))).toEqual([]);
  });

  it('is a launch into a full queue', async () => {
    const launches = Array.from({ length: 1010 }, (_, at) => [
      call('cudaLaunchKernel', at, at < 1005 ? 0.5 : 0.9, at),
      kernel('k', 1000.2 + at, 0.5, 7, at),
    ]).flat();
    const trace = await imported(kinetoText(launches));
    expect(trace.assumptions.map(({ what, count }) => [what.slice(0, 26), count])).toContainEqual([
      'launches into a full queue',
      5,
    ]);
  });
});

describe('collectives of gloo', () => {
  it('begin when they are asked for, and are waited for before their gradients are copied', async () => {
    const trace = await imported(kinetoText(glooStep));
    const copy = 'torch.distributed.ddp.reducer::copy_bucket_to_grad';
    expect(dependenciesOf(trace)).toEqual([
      'c10d::allreduce_ > gloo:all_reduce: launch start-start guessed',
      `gloo:all_reduce > ${copy}: sync end-start guessed`,
      'c10d::allreduce_ > gloo:all_reduce: launch start-start guessed',
      'gloo:all_reduce > wait for gloo:all_reduce: sync end-end guessed',
    ]);
    const wait = [...trace.ops.work.keys()].filter(op => workOf(trace, op) === 'sync');
    expect(wait.map(op => [trace.ops.start[op], trace.ops.duration[op]])).toEqual([[430_000, 200_000]]);
    expect(trace.assumptions).toContainEqual({ what: expect.stringContaining('of host threads'), count: 2, of: 2 });
  });

  it('are asked for under other names than they have: one tensor for all ranks, and what gloo does as something else', async () => {
    const asked = ['c10d::_reduce_scatter_base_', 'c10d::_allgather_base_', 'c10d::allreduce_'];
    const done = ['gloo:all_reduce', 'gloo:all_gather', 'gloo:all_reduce'];
    const trace = await imported(
      kinetoText([
        { cat: 'user_annotation', name: 'ProfilerStep#1', at: 0, for: 1000 },
        ...asked.map((name, at) => ({ cat: 'cpu_op', name, at: 300 * at, for: 10 })),
        ...done.map((name, at) => ({ cat: 'user_annotation', name, at: 300 * at + 20, for: 100, thread: 8001 })),
      ]),
    );
    expect(dependenciesOf(trace).filter(each => each.includes('launch'))).toEqual(
      asked.map((name, at) => `${name} > ${done[at]}: launch start-start guessed`),
    );
  });

  it('are waited for in the operators that functional collectives have for that', async () => {
    const trace = await imported(kinetoText(functionalStep));
    expect(dependenciesOf(trace)).toEqual([
      'c10d::allreduce_ > gloo:all_reduce: launch start-start guessed',
      'gloo:all_reduce > _c10d_functional::wait_tensor: sync end-end guessed',
      'c10d::allreduce_ > gloo:all_reduce: launch start-start guessed',
      'gloo:all_reduce > _c10d_functional::wait_tensor: sync end-end guessed',
    ]);
    const { from, to } = trace.dependencies;
    // The inner one of two, and the second for the collective of which its thread notes the end late.
    expect([1, 3].map(at => [from[at], to[at]].map(op => trace.ops.start[op ?? 0]))).toEqual([
      [115_000, 430_000],
      [125_000, 620_000],
    ]);
  });
});

describe('collectives', () => {
  it('of kernels that nothing describes have the name of the kernel', async () => {
    const name = 'void deep_ep::internode::combine<false>(int4*)';
    const trace = await imported(kinetoText([0, 20].map(at => ({ cat: 'kernel', name, at, for: 10, stream: 40 }))));
    expect(trace.collectives).toEqual([{ name }]);
    expect([...trace.ops.collective].filter(collective => collective >= 0)).toEqual([0, 0]);
  });

  it('are joined with the kernels that do them, by the annotation in which they were launched', async () => {
    const described = {
      'Collective name': 'allreduce',
      'In msg nelems': 1000,
      'Out msg nelems': 1000,
      dtype: 'BFloat16',
      'Group size': 2,
      'Process Group Name': '0',
      'Process Group Ranks': '[0, 1]',
    };
    const trace = await imported(
      kinetoText([
        { cat: 'cpu_op', name: 'record_param_comms', at: 0, for: 20, args: described },
        { cat: 'cuda_runtime', name: 'cudaLaunchKernel', at: 5, for: 5, args: { correlation: 1 } },
        { cat: 'kernel', name: 'ncclDevKernel_AllReduce', at: 12, for: 50, stream: 40, args: { correlation: 1 } },
        {
          cat: 'user_annotation',
          name: 'gloo:all_gather',
          at: 100,
          for: 5,
          thread: 5,
          args: {
            'Input Dims': [[10, 2], [4]],
            'Input type': ['float', 'long int'],
          },
        },
      ]),
    );
    const communication = [...trace.ops.work.keys()].filter(op => workOf(trace, op) === 'communication');
    expect(communication.map(op => [nameOf(trace, op), trace.ops.bytes[op]])).toEqual([
      ['ncclDevKernel_AllReduce', 2000],
      ['gloo:all_gather', 112],
    ]);
    expect(trace.collectives[trace.ops.collective[communication[0] ?? 0] ?? -1]).toEqual({
      name: 'allreduce',
      bytes: 2000,
      type: 'BFloat16',
      groupSize: 2,
      group: '0',
      ranks: [0, 1],
    });
  });

  it.each([
    [1, ['unsigned char', 'signed char', 'bool', 'c10::Float8_e5m2', 'Float8_e4m3fn', 'Byte']],
    [2, ['short int', 'short', 'short unsigned int', 'c10::Half', 'BFloat16', 'UInt16']],
    [4, ['int', 'unsigned int', 'float', 'c10::complex<c10::Half>', 'Float']],
    [8, ['long int', 'long', 'long unsigned int', 'double', 'c10::complex<float>', 'ComplexFloat']],
    [16, ['c10::complex<double>', 'ComplexDouble']],
  ])('know elements of %i bytes by all names of their types', async (bytes, types) => {
    const trace = await imported(
      kinetoText(
        types.map((type, at) => ({
          cat: 'user_annotation',
          name: 'gloo:all_gather',
          at: 10 * at,
          for: 5,
          args: { 'Input Dims': [[100]], 'Input type': [type] },
        })),
      ),
    );
    expect(trace.collectives.map(collective => collective.bytes)).toEqual(types.map(() => 100 * bytes));
  });
});
