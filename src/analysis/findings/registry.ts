import type { Finding } from '../../model/finding.ts';
import type { Analysis } from '../analysis.ts';
import { cacheTooLarge } from './cache-too-large.ts';
import { channelBound } from './channel-bound.ts';
import { consumerBound } from './consumer-bound.ts';
import { containerQuota } from './container-quota.ts';
import { cpuBound } from './cpu-bound.ts';
import { ioBandwidth } from './io-bandwidth.ts';
import { ioLatency } from './io-latency.ts';
import { ioParallelism } from './io-parallelism.ts';
import type { Detector } from './narrow.ts';
import { oversubscribedCores } from './oversubscribed-cores.ts';
import { ownThreads } from './own-threads.ts';
import { sequentialOperator } from './sequential-operator.ts';
import { shortRecording } from './short-recording.ts';
import { shuffleWarmUp } from './shuffle-warm-up.ts';
import { skewedLanes } from './skewed-lanes.ts';
import { smallOperators } from './small-operators.ts';
import { stuckOperator } from './stuck-operator.ts';
import { withToldGain } from './told-gain.ts';
import { unclear } from './unclear.ts';
import { waitingOnCalls } from './waiting-on-calls.ts';

/**
 * In the order in which one of them becomes the verdict: first what makes the others meaningless, then what explains
 * them (a full core may be full of a neighbour's work), then the narrow place itself.
 */
const DETECTORS: readonly ((analysis: Analysis) => Finding | undefined)[] = [
  stuckOperator,
  shortRecording,
  shuffleWarmUp,
  consumerBound,
  ownThreads,
  oversubscribedCores,
  containerQuota,
  smallOperators,
  cacheTooLarge,
  skewedLanes,
  waitingOnCalls,
  ioBandwidth,
  ioParallelism,
  ioLatency,
  sequentialOperator,
  cpuBound,
  channelBound,
] satisfies readonly Detector[];

export interface Findings {
  /** What limits the run. */
  readonly verdict: Finding;
  /** Worth knowing beside it. */
  readonly others: readonly Finding[];
}

/** Everything that was found, the verdict apart. */
export function findingsOf(analysis: Analysis): Findings {
  const found = DETECTORS.flatMap(detect => detect(analysis) ?? []).map(withToldGain);
  const verdict = found.find(({ limits }) => limits) ?? unclear(analysis);
  // Where there is too little to judge by, what else was found rests on just as little.
  const isBlank = verdict.kind === 'short-recording' || verdict.kind === 'stuck-operator';
  return { verdict, others: isBlank ? [] : found.filter(finding => finding !== verdict) };
}
