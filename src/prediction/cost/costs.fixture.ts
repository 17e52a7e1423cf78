import { HOST } from '../../analysis/records.fixture.ts';
import type { Host } from '../../model/host.ts';
import type { Cost, PipelineCosts, TransferCosts } from '../../model/pipeline-costs.ts';
import { exactly as amount, NOTHING } from './amount.ts';
import { handingCosts } from './handing.ts';
import type { CostModel, CostOperator } from './model.ts';
import { pacesOf } from './pace.ts';

const exactly = (value: number): Cost => ({ median: value, low: value, high: value });

const side: TransferCosts = {
  cpuNsPerChunk: exactly(0),
  cpuNsPerElement: exactly(40),
  cpuNsPerByte: exactly(0.25),
  cpuNsPerArray: exactly(200),
  cpuNsPerObject: exactly(0),
  residuals: { numbers: exactly(1), objects: exactly(1), arrays: exactly(1) },
};

/** Costs of a machine of round figures, on which threads do not slow each other down. */
export const COSTS: PipelineCosts = {
  measured: {
    at: '2026-01-01T00:00:00Z',
    venturi: '0.2.0',
    runtime: 'node',
    rounds: 3,
    clock: 'schedstat',
    seconds: 2,
  },
  send: side,
  receive: side,
  collectCpuNsPerArray: exactly(40),
  wake: { wakerCpuNs: exactly(0), sleeperCpuNs: exactly(0), delayNs: exactly(0) },
  start: { cpuNs: exactly(0), delayNs: exactly(0) },
  freshPage: { bytes: 4096, cpuNs: exactly(0) },
  memory: [1, 64].map(threads => ({ threads, bytesPerSecond: exactly(10e9 * threads) })),
  compute: [{ threads: 1, chained: exactly(1), independent: exactly(1) }],
};

export const MEASURED_HOST: Host = { ...HOST, pipelineCosts: COSTS };

/** A model of operators that were recorded in one stage, on four cores. */
export const modelWith = (operators: readonly CostOperator[], more: Partial<CostModel> = {}): CostModel => ({
  operators,
  stages: [{ id: 'all', operators: operators.map(({ id }) => id), lanes: 1, overhead: 0 }],
  cores: 4,
  asRecorded: true,
  load: 1,
  outside: NOTHING,
  unaccounted: 0,
  handing: handingCosts(COSTS),
  paces: pacesOf(COSTS),
  variation: 0,
  noise: 0,
  measured: { ...amount(1), confidence: 0.9 },
  residual: amount(1),
  growth: {},
  kept: {},
  calls: {},
  doubts: [],
  ...more,
});
