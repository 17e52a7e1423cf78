import { describe, expect, it } from 'vitest';
import { dependenciesOf, functionalStep, glooStep, imported, kinetoText, nameOf, workOf } from './trace.fixture.ts';

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

  it.each([[[[-1000]]], [[[2.5]]], [[[1e300]]]])('move bytes that nobody knows where shapes are %j', async shapes => {
    const args = { 'Input Dims': shapes, 'Input type': ['float'] };
    const events = [{ cat: 'user_annotation', name: 'gloo:all_reduce', at: 0, for: 5, args }];
    expect((await imported(kinetoText(events))).collectives.map(({ bytes }) => bytes)).toEqual([undefined]);
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
