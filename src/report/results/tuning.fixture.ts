import type { Interval } from '../../math/statistics.ts';
import { withTraits } from '../../model/kind-traits.ts';
import { elementsPerSecond, ns, share } from '../../model/units.ts';
import type { DemoResult } from './demo.ts';
import type { PipelineDiagnosis } from './diagnosis.ts';
import type { TriedPlan } from './tuning.ts';

const about = (estimate: number): Interval => ({
  estimate,
  low: estimate * 0.95,
  high: estimate * 1.05,
  confidence: 0.9,
});

const graph = {
  operators: [
    { id: 'files', kind: 'files', label: 'files', inputs: [], settings: {}, sequential: true },
    { id: 'decode', kind: 'map', label: 'decode', inputs: ['files'], settings: {}, sequential: false, parallelism: 1 },
  ].map(withTraits),
  channels: [],
  stages: [{ id: 'files+decode', operators: ['files', 'decode'], parallelism: 1 }],
  fingerprint: 'f',
};

const verdict = {
  kind: 'unclear' as const,
  limits: false,
  cause: { type: 'software' as const },
  operators: ['decode'],
  figures: { nearest: 'decode', busy: share(0.5) },
  fix: { type: 'advice' as const },
  gain: undefined,
  doubts: [],
};

const asItIs: TriedPlan = {
  changes: [],
  predicted: undefined,
  measured: about(20),
  gained: about(1),
  coresBusy: 1,
  othersBusy: 0,
  lanes: 1,
  verdict,
  graph,
  recording: undefined,
  sampled: false,
};

const changes = [
  {
    action: { kind: 'parallelism' as const, operator: 'decode', from: 1, to: 4 },
    reason: 'binds' as const,
    forecast: about(41),
  },
];

const diagnosis: PipelineDiagnosis = {
  schemaVersion: 1,
  name: 'as-it-is',
  folder: 'as-it-is.venturi',
  complete: true,
  status: 'stopped',
  seconds: 5,
  command: [],
  verdict,
  others: [],
  rate: about(20),
  root: 'decode',
  ends: [{ operator: 'decode', counted: 'elementsOut' }],
  steady: { fromSeconds: 1, toSeconds: 5 },
  cpu: { usable: 4, busy: 1, outside: 0, others: 0, left: 4, utilisation: 0.25 } as PipelineDiagnosis['cpu'],
  consumer: undefined,
  operators: [],
  rows: [],
  stages: [],
  sizes: [],
  windowSeconds: 1,
  segments: [],
  graph,
  problems: [],
};

/** A pipeline that four threads made twice as fast. */
export const twiceAsFast: Omit<DemoResult, 'pipeline' | 'images' | 'plan' | 'page'> = {
  schemaVersion: 1,
  diagnosis,
  tuned: undefined,
  tuning: {
    schemaVersion: 1,
    plan: {
      schemaVersion: 1,
      target: 'engine',
      pipeline: { path: 'images.ts', shape: 's', fingerprint: 'f' },
      changes,
      refused: [],
    },
    before: asItIs,
    ends: [{ operator: 'decode', counted: 'elementsOut' }],
    tried: [
      { ...asItIs, changes, predicted: about(41), measured: about(40), gained: about(2), coresBusy: 3.9, lanes: 5 },
    ],
    best: 0,
    unchanged: undefined,
    calls: undefined,
    gained: about(2),
    rules: [{ name: 'parallelism', changes: 1, rate: elementsPerSecond(41), ms: ns(1) }],
    ceiling: { ...about(41), low: 41, high: 41 },
    ceilingBy: { kind: 'cores', operator: undefined, rate: about(41), supply: 4 },
    binding: { kind: 'cores' },
    cold: undefined,
    target: undefined,
    coresUsable: 4,
    coresLeft: 4,
    cautions: [],
    problems: [],
  },
};
