import { cacheTooLarge } from './cache-too-large.ts';
import { channelBound } from './channel-bound.ts';
import { chunksInParts } from './chunks-in-parts.ts';
import { communicationBound } from './communication-bound.ts';
import { consumerBound } from './consumer-bound.ts';
import { containerQuota } from './container-quota.ts';
import { copyBound } from './copy-bound.ts';
import { coresShort } from './cores-short.ts';
import { cpuBound } from './cpu-bound.ts';
import type { Definition } from './definition.ts';
import { deviceBehind } from './device-behind.ts';
import { deviceBound } from './device-bound.ts';
import { fewBatches } from './few-batches.ts';
import { fewSteps } from './few-steps.ts';
import type { FindingShape } from './finding.ts';
import { inputBound } from './input-bound.ts';
import { ioBandwidth } from './io-bandwidth.ts';
import { ioLatency } from './io-latency.ts';
import { ioParallelism } from './io-parallelism.ts';
import { launchBound } from './launch-bound.ts';
import { memoryGrowth } from './memory-growth.ts';
import { memoryShort } from './memory-short.ts';
import { orderBound } from './order-bound.ts';
import { oversubscribedCores } from './oversubscribed-cores.ts';
import { ownThreads } from './own-threads.ts';
import { passesDiffer } from './passes-differ.ts';
import { preparationBound } from './preparation-bound.ts';
import { repeated } from './repeated.ts';
import { sequentialOperator } from './sequential-operator.ts';
import { shortRecording } from './short-recording.ts';
import { shuffleWarmUp } from './shuffle-warm-up.ts';
import { skewedLanes } from './skewed-lanes.ts';
import { slowElements } from './slow-elements.ts';
import { smallOperators } from './small-operators.ts';
import { startBound } from './start-bound.ts';
import { stepsCrowded } from './steps-crowded.ts';
import { stragglingRank } from './straggling-rank.ts';
import { stuckOperator } from './stuck-operator.ts';
import { transferBound } from './transfer-bound.ts';
import { unclear } from './unclear.ts';
import { unevenSteps } from './uneven-steps.ts';
import { unpinned } from './unpinned.ts';
import { waitingOnCalls } from './waiting-on-calls.ts';
import { workerStart } from './worker-start.ts';

/**
 * In the order in which one of them becomes the verdict: first what makes the others meaningless, then what explains
 * them (a full core may be full of a neighbour's work), then the narrow place itself. What can be no verdict comes last.
 */
const FINDINGS = {
  'stuck-operator': stuckOperator,
  'short-recording': shortRecording,
  'shuffle-warm-up': shuffleWarmUp,
  'consumer-bound': consumerBound,
  'chunks-in-parts': chunksInParts,
  'own-threads': ownThreads,
  'oversubscribed-cores': oversubscribedCores,
  'container-quota': containerQuota,
  'small-operators': smallOperators,
  'cache-too-large': cacheTooLarge,
  'skewed-lanes': skewedLanes,
  'waiting-on-calls': waitingOnCalls,
  'io-bandwidth': ioBandwidth,
  'io-parallelism': ioParallelism,
  'io-latency': ioLatency,
  'sequential-operator': sequentialOperator,
  'cpu-bound': cpuBound,
  'channel-bound': channelBound,
  unclear,
  'preparation-bound': preparationBound,
  'order-bound': orderBound,
  'transfer-bound': transferBound,
  'start-bound': startBound,
  'few-batches': fewBatches,
  'input-bound': inputBound,
  'launch-bound': launchBound,
  'communication-bound': communicationBound,
  'copy-bound': copyBound,
  'device-bound': deviceBound,
  'cores-short': coresShort,
  'steps-crowded': stepsCrowded,
  'memory-short': memoryShort,
  'worker-start': workerStart,
  'slow-elements': slowElements,
  repeated,
  unpinned,
  'passes-differ': passesDiffer,
  'memory-growth': memoryGrowth,
  'straggling-rank': stragglingRank,
  'device-behind': deviceBehind,
  'uneven-steps': unevenSteps,
  'few-steps': fewSteps,
};

export type Figures = {
  readonly [K in keyof typeof FINDINGS]: (typeof FINDINGS)[K] extends Definition<infer F> ? F : never;
};
export type FindingKind = keyof Figures;
export type FindingOf<K extends FindingKind> = { readonly [P in K]: FindingShape<Figures[P], P> }[K];
export type Finding = FindingOf<FindingKind>;

export const DEFINITIONS: { readonly [K in FindingKind]: Definition<Figures[K]> } = FINDINGS;
