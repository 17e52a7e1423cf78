import { describe, expect, test } from 'vitest';
import { bytes, bytesPerSecond, cores, elementsPerSecond, ns, share } from '../model/units.ts';
import type { Gain } from './finding.ts';
import type { Finding, FindingKind, FindingOf } from './registry.ts';
import { findingWords } from './words.ts';

const gain = (rate: number, factor: number): Gain => ({
  rate: elementsPerSecond(rate),
  factor,
  low: elementsPerSecond(0.9 * rate),
  high: elementsPerSecond(1.1 * rate),
});

const base = { limits: true, operators: ['decode'], fix: { type: 'advice' }, gain: undefined, doubts: [] } as const;
const software = { type: 'software' } as const;
const loader = { ...base, operators: ['train'] };
const beside = { ...loader, limits: false, cause: software };
const waiting = {
  ...{ rate: elementsPerSecond(40), waiting: share(0.75), atStake: share(0.6), workers: 1 },
  ...{ preparation: ns(40e6), step: ns(10e6), delay: ns(1e6) },
};
const steps = { ...base, operators: [], cause: software };
const step = { step: ns(427e6), steps: 6, source: 'kineto' };
const context = {
  label: (id: string) => id,
  now: 40,
  setting: ({ operator, setting, value }: { operator: string; setting: string; value: number }) =>
    `venturi run p.ts --set ${operator}.${setting}=${value}`,
  option: (text: string) => `venturi run p.ts ${text}`,
};

const IN_PARTS = {
  ...{ channel: 'decode → consumer', from: 'decode', to: 'consumer', batch: 64, largest: bytes(38.5e6) },
  ...{
    share: share(0.99),
    slot: bytes(15e6),
    others: 0,
    memory: bytes(2.1e9),
    needed: bytes(5.5e9),
    usable: bytes(64e9),
  },
};

const EXAMPLES: { readonly [K in FindingKind]: FindingOf<K> } = {
  'consumer-bound': {
    ...base,
    kind: 'consumer-bound',
    cause: { type: 'none' },
    figures: { wait: ns(10e3), step: ns(20e6), busy: share(0.99), possible: elementsPerSecond(400) },
  },
  'cpu-bound': {
    ...base,
    kind: 'cpu-bound',
    cause: software,
    figures: { lanes: 1, busy: share(0.99), cpuShare: share(0.7), coresBusy: cores(1), coresUsable: cores(4) },
    fix: { type: 'set', operator: 'decode', setting: 'parallelism', value: 4 },
    gain: gain(160, 4),
  },
  'waiting-on-calls': {
    ...base,
    kind: 'waiting-on-calls',
    cause: software,
    figures: {
      lanes: 2,
      concurrency: 8,
      underWay: 15.8,
      callTime: ns(12e6),
      slowestCall: ns(80e6),
      callsPerSecond: 1317,
      failed: share(0.01),
      blocked: share(0.93),
    },
    fix: { type: 'set', operator: 'decode', setting: 'concurrency', value: 64 },
    doubts: ['service-unseen'],
  },
  'sequential-operator': {
    ...base,
    kind: 'sequential-operator',
    cause: software,
    figures: { busy: share(0.97), most: elementsPerSecond(41) },
  },
  'io-latency': {
    ...base,
    kind: 'io-latency',
    cause: software,
    figures: {
      lanes: 2,
      blocked: share(0.9),
      perElement: ns(10e6),
      bytesPerSecond: bytesPerSecond(5e6),
      medium: 'storage',
    },
  },
  'io-bandwidth': {
    ...base,
    kind: 'io-bandwidth',
    cause: { type: 'hardware', resource: 'storage', full: share(1) },
    figures: {
      lanes: 2,
      blocked: share(0.9),
      bytesPerSecond: bytesPerSecond(20e6),
      limit: bytesPerSecond(20e6),
      known: 'fitted',
    },
  },
  'io-parallelism': {
    ...base,
    kind: 'io-parallelism',
    cause: software,
    figures: { lanes: 1, blocked: share(0.9), bytesPerSecond: bytesPerSecond(20e6), possible: bytesPerSecond(200e6) },
  },
  'channel-bound': {
    ...base,
    kind: 'channel-bound',
    cause: { type: 'hardware', resource: 'network', full: share(0.99) },
    figures: { channel: 'c', from: 'reader', to: 'ocr', full: share(0.99) },
  },
  'cache-too-large': {
    ...base,
    kind: 'cache-too-large',
    cause: { type: 'hardware', resource: 'memory', full: share(1) },
    figures: { bytes: bytes(9e9), bytesLow: bytes(8e9), bytesHigh: bytes(10e9), memory: bytes(4e9) },
  },
  'shuffle-warm-up': {
    ...base,
    kind: 'shuffle-warm-up',
    cause: software,
    figures: { firstOutput: ns(9e9), ofRun: share(0.6), buffer: 50_000 },
  },
  'small-operators': {
    ...base,
    kind: 'small-operators',
    cause: software,
    figures: { overhead: share(0.7), perElement: ns(300) },
  },
  'own-threads': {
    ...base,
    kind: 'own-threads',
    cause: { type: 'hardware', resource: 'cpu', full: share(0.95) },
    figures: { outside: cores(2.5), ofProcess: share(0.8), coresUsable: cores(4) },
  },
  'skewed-lanes': {
    ...base,
    kind: 'skewed-lanes',
    cause: software,
    figures: { lanes: 4, busiest: share(0.99), busy: share(0.4) },
  },
  'oversubscribed-cores': {
    ...base,
    kind: 'oversubscribed-cores',
    cause: { type: 'hardware', resource: 'cpu', full: share(1) },
    figures: { lanes: 4, runnable: share(0.5), coresUsable: cores(2), coresBusy: cores(0.6), others: cores(1.4) },
  },
  'container-quota': {
    ...base,
    kind: 'container-quota',
    cause: { type: 'hardware', resource: 'cpu', full: share(1) },
    figures: { coresUsable: cores(1), coresPresent: cores(8), coresBusy: cores(1), limit: 'cgroup-v2' },
  },
  'stuck-operator': {
    ...base,
    kind: 'stuck-operator',
    cause: software,
    figures: { element: 7, elements: 1, since: ns(2.5e9), duration: ns(40e9) },
  },
  'short-recording': {
    ...base,
    kind: 'short-recording',
    cause: { type: 'none' },
    figures: { reason: 'short', duration: ns(3e8), elements: 4, error: share(0.5) },
    fix: { type: 'record', seconds: 10 },
  },
  'preparation-bound': {
    ...loader,
    kind: 'preparation-bound',
    cause: software,
    figures: {
      ...waiting,
      ...{ coresBusy: cores(0.9), coresUsable: cores(4), heaviest: 'decode', heaviestShare: share(0.8) },
    },
    fix: { type: 'arguments', loader: 'train', changes: { num_workers: 4, persistent_workers: true } },
    gain: { ...gain(160, 4), factorBand: { low: 3, high: 5 } },
    doubts: ['few-batches'],
  },
  'order-bound': {
    ...loader,
    kind: 'order-bound',
    cause: software,
    figures: { ...waiting, outOfOrder: share(0.3) },
  },
  'transfer-bound': {
    ...loader,
    kind: 'transfer-bound',
    cause: software,
    figures: { ...waiting, pinning: share(0.1), perBatch: ns(50e6) },
  },
  'start-bound': {
    ...loader,
    kind: 'start-bound',
    cause: software,
    figures: { ...waiting, start: ns(4e9), ofPass: share(0.4) },
  },
  'few-batches': {
    ...loader,
    kind: 'few-batches',
    cause: { type: 'none' },
    figures: { batches: 3 },
    fix: { type: 'record', batches: 200 },
  },
  'cores-short': {
    ...beside,
    kind: 'cores-short',
    cause: { type: 'hardware', resource: 'cpu', full: share(1) },
    figures: { queued: share(0.4), others: cores(1.9), coresUsable: cores(4) },
  },
  'steps-crowded': { ...beside, kind: 'steps-crowded', figures: { threads: 4, coresUsable: cores(4) } },
  'memory-short': {
    ...beside,
    kind: 'memory-short',
    cause: { type: 'hardware', resource: 'memory', full: share(1) },
    figures: { what: 'shared-memory', wanted: bytes(9e9) },
  },
  'worker-start': {
    ...beside,
    kind: 'worker-start',
    figures: { start: ns(4e9), ofPass: share(0.1) },
    fix: { type: 'arguments', loader: 'train', changes: { persistent_workers: true } },
  },
  'chunks-in-parts': {
    ...beside,
    operators: ['decode'],
    kind: 'chunks-in-parts',
    figures: IN_PARTS,
    fix: { type: 'memory', bytes: 5.5e9 },
  },
  'slow-elements': {
    ...beside,
    kind: 'slow-elements',
    figures: { slowest: ns(90e6), typical: ns(3e6), names: ['a.jpg', 'b.jpg'] },
  },
  repeated: { ...beside, kind: 'repeated', figures: { until: 'decode', share: share(0.6), elements: 50_000 } },
  unpinned: {
    ...beside,
    kind: 'unpinned',
    figures: { accelerator: 'cuda', batch: bytes(38e6) },
    fix: { type: 'arguments', loader: 'train', changes: { pin_memory: true } },
  },
  'passes-differ': { ...beside, kind: 'passes-differ', figures: { first: 'preparation', later: 'consumer' } },
  'memory-growth': {
    ...beside,
    kind: 'memory-growth',
    figures: {
      ...{ where: 'workers', processes: 2, perHour: bytes(3.6e9), fullIn: ns(7.2e12), isUnshared: true },
      ...{ perHundredBatches: bytes(50e6), least: bytes(40e6), most: bytes(60e6) },
    },
  },
  unclear: { ...base, kind: 'unclear', cause: software, figures: { nearest: 'decode', busy: share(0.4) } },
  'input-bound': {
    ...steps,
    kind: 'input-bound',
    figures: { ...step, share: share(0.88), loading: ns(378e6), device: true },
    gain: gain(16.7, 8.33),
  },
  'launch-bound': {
    ...steps,
    kind: 'launch-bound',
    figures: {
      ...{ ...step, share: share(0.6), between: ns(100e6), operators: ns(80e6), calls: ns(20e6) },
      ...{ shorter: share(0.4), device: true },
    },
  },
  'communication-bound': {
    ...steps,
    kind: 'communication-bound',
    figures: {
      ...step,
      share: share(0.4),
      communicating: ns(200e6),
      ranks: 8,
      collective: 'allreduce',
      waited: ns(30e6),
    },
  },
  'copy-bound': { ...steps, kind: 'copy-bound', figures: { ...step, share: share(0.4) } },
  'device-bound': {
    ...steps,
    kind: 'device-bound',
    cause: { type: 'hardware', resource: 'accelerator', full: share(0.95) },
    figures: { ...step, share: share(0.95), kernel: 'void gemm<float>(int)', kernelShare: share(0.3), device: true },
  },
  'straggling-rank': {
    ...beside,
    kind: 'straggling-rank',
    operators: [],
    figures: { rank: 3, last: share(0.9), waited: ns(40e6), ofStep: 0.1 },
  },
  'device-behind': {
    ...beside,
    kind: 'device-behind',
    operators: [],
    figures: { step: ns(79e6), onDevice: ns(96e6) },
  },
  'uneven-steps': {
    ...beside,
    kind: 'uneven-steps',
    operators: [],
    figures: { deviation: ns(50e6), ofMean: 0.12, least: ns(300e6), most: ns(600e6), isFirst: true, source: 'kineto' },
  },
  'few-steps': { ...beside, kind: 'few-steps', operators: [], figures: { steps: 1, source: 'kineto' } },
};

const ofLoader = (nearly: boolean, mostly: boolean): Finding => ({
  ...EXAMPLES['consumer-bound'],
  operators: ['train'],
  figures: { ...waiting, nearly, mostly },
});
const all: readonly Finding[] = [
  ...Object.values(EXAMPLES),
  ofLoader(false, false),
  ofLoader(true, false),
  ofLoader(false, true),
];

describe('a finding in words', () => {
  test.each(all.map(finding => [finding.kind, finding] as const))('%s', (_, finding) => {
    const { text, fix } = findingWords(finding, context);
    expect({ text, fix }).toMatchSnapshot();
    expect(text).not.toMatch(/undefined|NaN/);
  });

  test('every verdict on the input says whether something is full', () => {
    for (const finding of all) {
      const { text } = findingWords(finding, context);
      if (finding.cause.type === 'none' || !finding.limits) expect(text).not.toMatch(/hardware|software/);
      else expect(text).toMatch(/\((hardware: .* is saturated|software: no resource is saturated)\)$/);
    }
  });

  test('a setting can be pasted, and says what it gains', () => {
    expect(findingWords(EXAMPLES['cpu-bound'], context).fix).toBe(
      'venturi run p.ts --set decode.parallelism=4 (up to 160/s, 4 times as fast)',
    );
    const little = { ...EXAMPLES['cpu-bound'], gain: gain(44, 1.1) };
    expect(findingWords(little, context).fix).toMatch(/up to 44.0\/s, 10 % faster\)$/);
    const on = 'the 1.5 of 4 cores that other programs leave';
    expect(findingWords(little, { ...context, on }).fix).toMatch(
      /\(on the 1\.5 of 4 cores that other programs leave: up to 44/,
    );
  });
});
