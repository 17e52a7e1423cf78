import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { StepTrace } from '../../../model/step-trace.ts';
import { importKineto } from './import.ts';
import { dependenciesOf, type FakeEvent, imported, kinetoText, nameOf, twoSteps, workOf } from './trace.fixture.ts';

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

  it('is what was queued before the trace began, which belongs to no step', async () => {
    const steps = [0, 1000].flatMap(at => [
      { cat: 'user_annotation', name: `ProfilerStep#${at}`, at, for: 1000 },
      { cat: 'cpu_op', name: 'aten::mm', at: at + 600, for: 50 },
    ]);
    const backlog = [0, 100, 200].map(at => kernel('earlier', at, 90, 7, -1 - at));
    const events = [
      ...steps,
      ...backlog,
      call('cudaLaunchKernel', 10, 5, 1),
      kernel('own', 300, 90, 7, 1),
      call('cudaStreamSynchronize', 150, 250, 2),
      kernel('unexplained', 1500, 10, 7, 99),
    ];
    const trace = await imported(kinetoText(events));
    const stepsOf = [...trace.ops.step.keys()].map(op => [nameOf(trace, op), trace.ops.step[op]]);
    expect(stepsOf.filter(([name]) => /earlier|own|unexplained/.test(String(name)))).toEqual([
      ['earlier', -1],
      ['earlier', -1],
      ['earlier', -1],
      ['own', 0],
      ['unexplained', 1],
    ]);
    expect(syncs(trace)).toEqual(['own > cudaStreamSynchronize: sync end-end guessed']);
    expect(trace.assumptions.slice(0, 2)).toMatchObject([
      { what: expect.stringContaining('queued when the trace began'), count: 3, of: 5 },
      { what: expect.stringContaining('without the call'), count: 1, of: 5 },
    ]);

    // Where nothing but a later step launches into the stream, it may as well be work of the first whose calls are not recorded.
    const late = [...steps, ...backlog, call('cudaLaunchKernel', 1010, 5, 1), kernel('own', 1300, 90, 7, 1)];
    const kept = await imported(kinetoText(late));
    expect([...kept.ops.step.keys()].filter(op => kept.ops.step[op] === -1)).toEqual([]);
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
