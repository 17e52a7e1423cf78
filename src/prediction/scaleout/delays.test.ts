import { describe, expect, it } from 'vitest';
import type { ResourceKind, StepTrace } from '../../model/step-trace.ts';
import { StepTraceBuilder } from '../../model/step-trace-builder.ts';
import { compileSteps } from './compile.ts';
import { clusterOf, STEP_SETTINGS } from './defaults.ts';
import { simulate } from './simulate.ts';
import { stepsOf } from './steps-of.ts';
import { reproduce } from './stream-ends.ts';

const MS = 1e6;

interface Host {
  readonly kind?: ResourceKind;
  readonly lanes?: number;
  readonly ordered?: boolean;
  readonly ranks?: number;
  /** When one more parameter has come, ms. */
  readonly arrival?: number;
}

/** Two gradients are ready to be computed at 1 ms. A thread takes up one at once and the other 6 ms later; each is sent when it is there, in 10 ms. */
function lateTrace({ kind = 'device', lanes = 2, ordered, ranks = 1, arrival }: Host = {}): StepTrace {
  const builder = new StepTraceBuilder();
  for (let rank = 0; rank < ranks; rank++) builder.rank({ rank, name: `worker ${rank}` });
  const worker = builder.resource({ name: 'worker', kind, rank: 0, lanes, ordered });
  const up = builder.resource({ name: 'up', kind: 'uplink', server: 0 });
  const server = builder.resource({ name: 'server', kind: 'server', server: 0 });
  const step = builder.step({ rank: 0, number: 0, start: 0, duration: 26 * MS });
  const op = (name: string, resource: number, start: number, end: number, bytes?: number): number => {
    const work = bytes === undefined ? 'compute' : 'communication';
    return builder.op({ name, work, resource, start: start * MS, duration: (end - start) * MS, bytes, step });
  };
  const first = op('loss', worker, 0.5, 1);
  const computed = [op('b', worker, 1, 5), op('a', worker, 7, 8)];
  const sent = [op('gb', up, 5, 15, 1e6), op('ga', up, 8, 25, 1e6)];
  if (arrival !== undefined)
    op('w', builder.resource({ name: 'down', kind: 'downlink', server: 0 }), 0.1, arrival, 1e4);
  const updated = op('update', server, 25.5, 26);
  for (const [at, each] of computed.entries()) {
    builder.dependency(first, each, 'data');
    builder.dependency(each, sent[at] ?? 0, 'data');
    builder.dependency(sent[at] ?? 0, updated, 'recv');
  }
  return builder.build('test', '0');
}

/** By name of an op, ms. */
function delaysIn(trace: StepTrace): (name: string) => number {
  const { graphs, steps } = stepsOf(trace, 1).profile;
  return name => (steps[0]?.delays?.[graphs[0]?.names.indexOf(name) ?? -1] ?? Number.NaN) * 1e3;
}

describe('ops of hosts', () => {
  it('are late by what passed until a thread took them up, on workers and on servers', () => {
    const delay = delaysIn(lateTrace());
    expect(delay('loss')).toBeCloseTo(0.5, 9);
    expect(delay('a')).toBeCloseTo(6, 9);
    expect(delay('b')).toBeCloseTo(0, 9);
    expect(delay('update')).toBeCloseTo(0.5, 9);
  });

  it('that waited for a lane are in line from when they were ready, behind those that began before them', () => {
    const delay = delaysIn(lateTrace({ lanes: 1 }));
    expect(delay('a')).toBeCloseTo(0, 9);
    const { profile, lanes } = stepsOf(lateTrace({ lanes: 1 }), 1);
    expect(lanes).toBe(1);
    const compiled = compileSteps(profile, STEP_SETTINGS);
    const order: string[] = [];
    simulate(
      compiled,
      clusterOf({ workers: 1, bandwidth: 1e8 }),
      { steps: 1, warmUp: 0, seed: 1 },
      { chunk: (_worker, _unit, row) => order.push(compiled.names[row] ?? ''), step: () => undefined },
    );
    expect(order.indexOf('b')).toBeLessThan(order.indexOf('a'));
  });

  it('that waited while a message came may have waited until it was parsed, which is simulated', () => {
    expect(delaysIn(lateTrace({ arrival: 6.5 }))('a')).toBeCloseTo(0, 9);
    expect(delaysIn(lateTrace({ arrival: 0.9 }))('a')).toBeCloseTo(6, 9);
  });

  it('of a thread or a stream are not: each waits for the one before there', () => {
    expect(delaysIn(lateTrace({ kind: 'host', ordered: true }))('a')).toBe(0);
  });

  it('of one of several workers are not: they may have waited for what another did', () => {
    expect(delaysIn(lateTrace({ ranks: 2 }))('a')).toBe(0);
  });

  it('begin in a simulation when they were recorded to, and so do streams that wait for them', () => {
    const { profile } = stepsOf(lateTrace(), 1);
    const reproduced = (delays?: number[]): number => {
      const steps = profile.steps.map(step => ({ ...step, delays: delays ?? step.delays }));
      const cluster = clusterOf({ workers: 1, bandwidth: 1e8, lanes: 2 });
      return reproduce(profile, compileSteps({ ...profile, steps }, STEP_SETTINGS), cluster, [0]).streams.max;
    };
    expect(reproduced()).toBeLessThan(1e-9);
    expect(reproduced([])).toBeGreaterThan(0.3);
  });
});
