import { expect, it } from 'vitest';
import { Random } from '../../math/random.ts';
import type { ParseOverhead } from './cluster.ts';
import { compileSteps } from './compile.ts';
import { clusterOf, STEP_SETTINGS } from './defaults.ts';
import { fitOverhead } from './fit.ts';
import { layeredModel } from './model.fixture.ts';
import { recordedProfile } from './recorded-profile.fixture.ts';
import type { ScaleoutProfile } from './step.ts';
import { reproduce } from './stream-ends.ts';

const B = 1.25e8;
const layers = [2e5, 3e6, 1e5, 9e6, 8e5, 2.2e6, 1.2e7, 4e4];
const silent = layeredModel({
  batchSize: 8,
  steps: 12,
  layers,
  forward: 5e-3,
  backward: 1e-2,
  update: 1e-4,
  jitter: 0.05,
  seed: 2,
});

const recordedWith = (window: number, overhead?: ParseOverhead, uplinkWindow = window): ScaleoutProfile =>
  recordedProfile(silent, { bandwidth: B, window, uplinkWindow, ...(overhead && { overhead }) });

const isSent = (op: number): boolean => (silent.graphs[0]?.bytes[op] ?? 0) > 0;
const request = { settings: STEP_SETTINGS, bandwidth: B, multiplexing: 'rr', lanes: 1 } as const;

it('one worker is reproduced from its own recording, and WIN, α and β are found', () => {
  const overhead = { perByte: 9e-10, perMessage: 4e-4 };
  const fit = fitOverhead(recordedWith(2 ** 20, overhead), request);
  expect([fit.window, fit.uplinkWindow]).toEqual([2 ** 20, 2 ** 20]);
  expect(Math.abs(fit.overhead.perByte / overhead.perByte - 1)).toBeLessThan(0.1);
  expect(fit.reproduction.streams.mean).toBeLessThan(0.01);
  expect(fit.reproduction.stepTime).toBeLessThan(0.01);
  expect(fit.reproduction.steps).toBe(6);
});

it('a window that servers advertise and workers do not is found', () => {
  const fit = fitOverhead(recordedWith(Number.POSITIVE_INFINITY, undefined, 2 ** 20), request);
  expect([fit.window, fit.uplinkWindow]).toEqual([Number.POSITIVE_INFINITY, 2 ** 20]);
  expect(fit.reproduction.streams.mean).toBeLessThan(1e-6);
});

it('streams sent whole are found to be', () => {
  const fit = fitOverhead(recordedWith(Number.POSITIVE_INFINITY), request);
  expect([fit.window, fit.uplinkWindow]).toEqual([Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY]);
  expect(fit.reproduction.streams.mean).toBeLessThan(1e-6);
});

it('streams sent whole are found to be, where moments of the recording are off by what threads need to wake up', () => {
  const recorded = recordedWith(Number.POSITIVE_INFINITY);
  const random = new Random();
  for (const seed of [1, 2, 3, 4]) {
    const late = recorded.steps.map((step, number) => {
      random.rekey(seed, 0, number, 0, 0);
      return { ...step, durations: step.durations.map((own, op) => (isSent(op) ? own + 1e-3 * random.normal() : own)) };
    });
    const { window, uplinkWindow } = fitOverhead({ ...recorded, steps: late }, request);
    expect([window, uplinkWindow]).toEqual([Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY]);
  }
});

it('what was recorded is reproduced exactly with what it was recorded with', () => {
  const overhead = { perByte: 9e-10, perMessage: 4e-4 };
  const recorded = recordedWith(2 ** 20, overhead);
  const compiled = compileSteps(recorded, { ...STEP_SETTINGS, overhead });
  const { streams, stepTime } = reproduce(
    recorded,
    compiled,
    clusterOf({ workers: 1, bandwidth: B, window: 2 ** 20 }),
    [3, 5],
  );
  expect(streams.max).toBeLessThan(1e-9);
  expect(stepTime).toBeLessThan(1e-9);
});

it('streams whose times were concluded are neither fitted to nor counted', () => {
  const recorded = recordedWith(Number.POSITIVE_INFINITY);
  const sent = [...(silent.graphs[0]?.names.keys() ?? [])].filter(isSent);
  const guessed = sent.slice(0, 2);
  const steps = recorded.steps.map(step => ({
    ...step,
    guessed,
    durations: step.durations.map((own, op) => (guessed.includes(op) ? 5 * own : own)),
  }));
  expect(fitOverhead({ ...recorded, steps }, request).reproduction.streams.max).toBeLessThan(1e-6);
  const told = steps.map(({ guessed: _, ...step }) => step);
  expect(fitOverhead({ ...recorded, steps: told }, request).reproduction.streams.max).toBeGreaterThan(0.1);
});
