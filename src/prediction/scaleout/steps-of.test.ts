import { describe, expect, it } from 'vitest';
import type { Collective, StepTrace } from '../../model/step-trace.ts';
import { StepTraceBuilder } from '../../model/step-trace-builder.ts';
import { compileSteps } from './compile.ts';
import { clusterOf, STEP_SETTINGS } from './defaults.ts';
import { COLLECTIVE, DOWNLINK, SERVER, UPLINK, WORKER } from './step.ts';
import { stepsOf } from './steps-of.ts';
import { reproduce } from './stream-ends.ts';

const MS = 1e6;

/** One worker and two servers: two parameters of one size and one of another, on both servers. */
function serverTrace(steps = 2): StepTrace {
  const builder = new StepTraceBuilder();
  builder.rank({ rank: 0, name: 'worker' });
  const worker = builder.resource({ name: 'worker', kind: 'device', rank: 0, lanes: 2 });
  const links = [0, 1].map(server => ({
    down: builder.resource({ name: `from ${server}`, kind: 'downlink', server }),
    up: builder.resource({ name: `to ${server}`, kind: 'uplink', server }),
    own: builder.resource({ name: `server ${server}`, kind: 'server', server }),
  }));
  for (let number = 0; number < steps; number++) {
    const base = number * 100 * MS;
    const step = builder.step({ rank: 0, number, start: base, duration: 90 * MS });
    const op = (name: string, resource: number, start: number, duration: number, bytes?: number): number =>
      builder.op({
        name,
        work: bytes === undefined ? 'compute' : 'communication',
        resource,
        start: base + start * MS,
        duration: duration * MS,
        bytes,
        step,
      });
    for (const [at, [server, bytes]] of [
      [0, 100],
      [1, 100],
      [0, 30],
    ].entries()) {
      const { down, up, own } = links[server ?? 0] ?? { down: 0, up: 0, own: 0 };
      const received = op(`w${at}`, down, 0, 10 + at, bytes);
      const computed = op(`grad${at}`, worker, 20 + at, 5);
      const sent = op(`g${at}`, up, 30 + at, 10, bytes);
      const updated = op(`update${at}`, own, 45 + at, 1);
      builder.dependency(received, computed, 'recv');
      builder.dependency(computed, sent, 'data');
      builder.dependency(sent, updated, 'recv');
    }
  }
  return builder.build('test', '0');
}

describe('steps of a trace with parameter servers', () => {
  const { profile, lanes, servers, hasServers, hasCollectives, assumptions } = stepsOf(serverTrace(), 8);
  const [graph] = profile.graphs;
  const opNamed = (name: string): number => graph?.names.indexOf(name) ?? -1;

  it('share a graph where they are the same, and keep durations and starts of their own', () => {
    expect([profile.graphs.length, profile.steps.length, profile.batchSize]).toEqual([1, 2, 8]);
    const [, second] = profile.steps;
    expect(second?.duration).toBeCloseTo(0.09, 12);
    expect(second?.starts[opNamed('g1')]).toBeCloseTo(0.031, 12);
    expect(second?.durations[opNamed('w2')]).toBeCloseTo(0.012, 12);
  });

  it('know links, servers and the lanes of the worker', () => {
    const kinds = ['w0', 'grad0', 'g0', 'update0'].map(name => graph?.resources[opNamed(name)]);
    expect(kinds).toEqual([DOWNLINK, WORKER, UPLINK, SERVER]);
    expect([lanes, servers, hasServers, hasCollectives, assumptions]).toEqual([2, 2, true, false, []]);
  });

  it('put a gradient and its update with the parameter of its size on its server', () => {
    const of = (name: string): number | undefined => graph?.parameters[opNamed(name)];
    for (const at of [0, 1, 2]) expect([of(`g${at}`), of(`update${at}`)]).toEqual([of(`w${at}`), of(`w${at}`)]);
    expect(['w0', 'w1', 'w2'].map(name => graph?.recordedServers[of(name) ?? -1])).toEqual([0, 1, 0]);
  });
});

/** A step that computes and then communicates; with `other` it does that, too. */
function collectiveTrace(name: string, other?: Collective, bytes = 4000): StepTrace {
  const builder = new StepTraceBuilder();
  builder.rank({ rank: 0, name: 'rank 0' });
  builder.rank({ rank: 1, name: 'rank 1' });
  const stream = builder.resource({ name: 'stream 7', kind: 'device', rank: 0, ordered: true });
  const network = builder.resource({ name: 'stream 20', kind: 'device', rank: 0, ordered: true });
  const step = builder.step({ rank: 0, number: 1, start: 0, duration: 10 * MS });
  const computed = builder.op({ name: 'gemm', work: 'compute', resource: stream, start: 0, duration: 5 * MS, step });
  const collective = builder.collective({ name, bytes: Number.isNaN(bytes) ? undefined : bytes, groupSize: 2 });
  const reduced = builder.op({
    name: 'ncclKernel',
    work: 'communication',
    resource: network,
    start: 5 * MS,
    duration: 4 * MS,
    step,
    collective,
  });
  builder.dependency(computed, reduced, 'sync');
  if (other !== undefined) {
    const gathered = builder.collective(other);
    const times = { start: 9 * MS, duration: MS, step };
    builder.op({ name: 'ncclKernel', work: 'communication', resource: network, collective: gathered, ...times });
  }
  return builder.build('test', '0');
}

describe('steps of a trace with collectives', () => {
  it('have all-reduces as collectives, with their bytes; other ranks are left out and counted', () => {
    const { profile, hasCollectives, assumptions } = stepsOf(collectiveTrace('allreduce'), 1);
    expect(profile.graphs[0]?.resources).toEqual([WORKER, COLLECTIVE]);
    expect(profile.graphs[0]?.bytes).toEqual([0, 4000]);
    expect(hasCollectives).toBe(true);
    expect(assumptions).toEqual([{ what: expect.stringContaining('ranks left out'), count: 1, of: 2 }]);
  });

  it('keep a broadcast as work of the worker', () => {
    expect(stepsOf(collectiveTrace('broadcast'), 1).profile.graphs[0]?.resources).toEqual([WORKER, WORKER]);
  });

  it.each(['_allgather_base', 'reduce_scatter', 'send', 'all_to_all'])(
    'are refused where %s divides the model',
    name => {
      expect(() => stepsOf(collectiveTrace(name), 1)).toThrow(/divided among workers/);
    },
  );

  it('are refused where they are known from the host alone, which has none of the kernels', () => {
    const builder = new StepTraceBuilder();
    builder.rank({ rank: 0, name: 'rank 0' });
    const thread = builder.resource({ name: 'thread', kind: 'host', rank: 0, ordered: true });
    const step = builder.step({ rank: 0, number: 1, start: 0, duration: MS });
    builder.op({ name: 'c10d::allgather_', work: 'operator', resource: thread, start: 0, duration: MS, step });
    builder.collective({ name: '_allgather_base', bytes: 4000 });
    expect(() => stepsOf(builder.build('test', '0'), 1)).toThrow(/divided among workers/);
  });

  it('have a collective of few bytes, as of a metric, as an all-reduce of as many, and say so', () => {
    const { profile, assumptions } = stepsOf(collectiveTrace('allreduce', { name: 'all_gather', bytes: 8 }), 1);
    expect(profile.graphs[0]?.resources).toEqual([WORKER, COLLECTIVE, COLLECTIVE]);
    expect(profile.graphs[0]?.bytes).toEqual([0, 4000, 8]);
    expect(assumptions[0]).toMatchObject({ what: expect.stringContaining('few bytes (all_gather)'), count: 1, of: 2 });
    expect(() => stepsOf(collectiveTrace('allreduce', { name: 'all_gather', bytes: 400 }), 1)).toThrow(
      /divided among workers/,
    );
  });

  it('have a barrier as one of no bytes: what a rank waits there for others is not its own work', () => {
    const { profile, hasBytes, assumptions } = stepsOf(collectiveTrace('allreduce', { name: 'barrier' }), 1);
    expect(profile.graphs[0]?.resources).toEqual([WORKER, COLLECTIVE, COLLECTIVE]);
    expect(profile.graphs[0]?.bytes).toEqual([0, 4000, 0]);
    expect([hasBytes, assumptions.length]).toEqual([true, 1]);
    expect(stepsOf(collectiveTrace('allreduce', { name: 'barrier' }, Number.NaN), 1).hasBytes).toBe(false);
  });

  it('say that broadcasts of many bytes, as of ZeRO, take as long as recorded', () => {
    const { profile, assumptions } = stepsOf(collectiveTrace('allreduce', { name: 'broadcast', bytes: 4000 }), 1);
    expect(profile.graphs[0]?.resources).toEqual([WORKER, COLLECTIVE, WORKER]);
    expect(assumptions[0]).toEqual({
      what: expect.stringMatching(/broadcasts .* as long as recorded/),
      count: 1,
      of: 2,
    });
    expect(stepsOf(collectiveTrace('allreduce', { name: 'broadcast', bytes: 8 }), 1).assumptions.length).toBe(1);
  });

  it('are refused for the sizes where the trace has none of any collective', () => {
    expect(() => stepsOf(collectiveTrace('allreduce', { name: 'all_gather' }, Number.NaN), 1)).toThrow(
      expect.objectContaining({
        message: expect.stringMatching(/how many bytes/),
        remedy: expect.stringMatching(/record_shapes=True/),
      }),
    );
  });
});

it('a trace without ops in steps is refused', () => {
  const builder = new StepTraceBuilder();
  builder.rank({ rank: 0, name: 'worker' });
  builder.step({ rank: 0, number: 1, start: 0, duration: MS });
  expect(() => stepsOf(builder.build('test', '0'), 1)).toThrow(expect.objectContaining({ code: 'VENTURI_STEPS_NONE' }));
});

/** A worker asks for two parameters, 2 ms after the server has read them in the other order; a gradient is handed over 1 ms after it is there. */
function askedTrace(): StepTrace {
  const builder = new StepTraceBuilder();
  builder.rank({ rank: 0, name: 'worker' });
  const worker = builder.resource({ name: 'worker', kind: 'device', rank: 0 });
  const down = builder.resource({ name: 'down', kind: 'downlink', server: 0 });
  const up = builder.resource({ name: 'up', kind: 'uplink', server: 0 });
  const server = builder.resource({ name: 'server', kind: 'server', server: 0 });
  const step = builder.step({ rank: 0, number: 0, start: 0, duration: 60 * MS });
  const op = (name: string, resource: number, start: number, end: number, bytes?: number): number => {
    const work = bytes === undefined ? 'compute' : 'communication';
    return builder.op({ name, work, resource, start: start * MS, duration: (end - start) * MS, bytes, step });
  };
  const reads = [op('read a', server, 0, 0.5), op('read b', server, 0.5, 1), op('read c', server, 0.6, 0.7)];
  // Both are recorded from when they were asked for; b is sent first.
  const received = [op('a', down, 3.1, 23, 1e6), op('b', down, 3, 13, 1e6), op('c', down, 24, 24.1, 1e4)];
  const computed = op('compute', worker, 24.1, 30);
  const sent = [op('ga', up, 31, 41, 1e6), op('gb', up, 41, 51, 1e6)];
  for (const [at, transfer] of received.entries()) {
    builder.dependency(reads[at] ?? 0, transfer, 'data');
    builder.dependency(transfer, computed, 'recv');
  }
  for (const transfer of sent) builder.dependency(computed, transfer, 'data');
  return builder.build('test', '0');
}

describe('transfers of a trace', () => {
  const { profile } = stepsOf(askedTrace(), 1);
  const [graph] = profile.graphs;
  const [step] = profile.steps;
  const delay = (name: string): number => (step?.delays?.[graph?.names.indexOf(name) ?? -1] ?? Number.NaN) * 1e3;

  it('wait until they were asked for, not for what servers do before', () => {
    expect(delay('a')).toBeCloseTo(3.1, 9);
    expect(delay('b')).toBeCloseTo(3, 9);
    // The link was idle for a while: it did not wait for that.
    expect(delay('c')).toBeCloseTo(24, 9);
  });

  it('are late by what hosts took, not by the wait for their link', () => {
    expect(delay('ga')).toBeCloseTo(1, 9);
    expect(delay('gb')).toBeCloseTo(1, 9);
  });

  it('end in a simulation when they were recorded to', () => {
    const compiled = compileSteps(profile, STEP_SETTINGS);
    const { streams } = reproduce(profile, compiled, clusterOf({ workers: 1, bandwidth: 1e8 }), [0]);
    expect(streams.max).toBeLessThan(0.01);
  });
});
