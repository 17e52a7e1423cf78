import { costOf } from '../../analysis/batches/cost.ts';
import { distribution } from '../../analysis/batches/distribution.ts';
import type { LoaderSummary, OperatorTimeRow } from '../../analysis/batches/summary.ts';
import { type BoundEvidence, boundBy, lostTime } from '../../analysis/batches/verdict.ts';
import { addedWaits } from '../../analysis/batches/wait-split.ts';
import { kindNamed } from '../../model/kind.ts';
import { stepTraitsOf } from '../../model/kind-traits.ts';
import { elements, elementsPerSecond, ns, share } from '../../model/units.ts';

const MS = 1e6;

export const operatorRow = (operator: string, kind: string, part: number, mean = MS): OperatorTimeRow => ({
  operator,
  kind: kindNamed(kind),
  traits: stepTraitsOf(operator, kind),
  location: undefined,
  timed: 100,
  mean: ns(mean),
  p50: ns(mean),
  p90: ns(mean),
  p99: ns(mean),
  below10ms: share(1),
  below100us: share(0),
  share: share(part),
});

export interface SummaryWish {
  /** Milliseconds per batch. */
  readonly preparation?: number;
  readonly step?: number;
  readonly wait?: number;
  /** Parts of the wait. */
  readonly prepared?: number;
  readonly inOrder?: number;
  readonly queued?: number;
  readonly workers?: number;
  readonly batches?: number;
}

/** What a loader did, as far as a verdict needs it. */
export function summary(wish: SummaryWish = {}, more: Partial<LoaderSummary> = {}): LoaderSummary {
  const {
    preparation = 40,
    step = 10,
    wait = 30,
    prepared = 0,
    inOrder = 0,
    queued = 0,
    workers = 1,
    batches = 100,
  } = wish;
  const evidence: BoundEvidence = {
    batches,
    workers,
    wait: ns(batches * wait * MS),
    consume: ns(batches * step * MS),
    waitUnprepared: ns(batches * wait * (1 - prepared) * MS),
    waitPrepared: ns(batches * wait * prepared * MS),
    firstWait: ns(0),
    start: ns(0),
    waitInOrder: ns(batches * wait * inOrder * MS),
    idleShare: share(inOrder > 0 ? 0.5 : 0),
    preparationPerBatch: ns(preparation * MS),
    consumePerBatch: ns(step * MS),
    coreWaitPerBatch: ns(preparation * queued * MS),
    coresUsable: 4,
    deviceSteps: 0,
    deviceWait: ns(0),
    deviceStep: ns(0),
  };
  const times = (value: number) => distribution(Array.from({ length: batches }, () => value * MS));
  return {
    name: 'train',
    key: 'train.py:7',
    location: 'train.py:7',
    stack: [{ file: 'train.py', line: 7, function: 'main' }],
    library: undefined,
    remadeBy: undefined,
    settings: { num_workers: workers, pin_memory: false },
    batches,
    elements: elements(8 * batches),
    unconsumed: 0,
    elementsPerSecond: elementsPerSecond(8000 / (wait + step)),
    preparation: times(preparation),
    wait: times(wait),
    delay: times(1),
    consume: times(step),
    accelerator: undefined,
    deviceWait: distribution([]),
    deviceStep: distribution([]),
    workerMemory: undefined,
    cpu: times(preparation),
    runDelay: times(preparation * queued),
    waitSplit: {
      ...addedWaits([]),
      preparing: batches * wait * (1 - prepared) * MS,
      transfer: batches * wait * prepared * MS,
    },
    late: [],
    outOfOrder: 0,
    firstWaits: times(preparation),
    idleShare: share(0),
    workers,
    operators: [operatorRow('Images.__getitem__', 'dataset', 0.2), operatorRow('decode', 'decode', 0.8)],
    slowest: [],
    passes: [],
    evidence,
    verdict: boundBy(evidence),
    ranks: [],
    rankSpread: undefined,
    cost: costOf({ ranks: [{ lost: lostTime(evidence) }], passes: [] }, batches * (wait + step) * MS),
    ...more,
  };
}
