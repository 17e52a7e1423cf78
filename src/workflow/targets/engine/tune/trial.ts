import type { PipelineDefinition } from '../../../../engine/api/define.ts';
import type { Run, RunOptions } from '../../../../engine/contract/run.ts';
import type { AppliedPlan } from '../../../../model/applied-plan.ts';
import { MS_PER_SECOND, NS_PER_SECOND } from '../../../../model/units.ts';
import { SAME } from '../../../../prediction/thresholds.ts';
import { Arrivals } from '../../../arrivals.ts';
import { type LiveProgress, watchProgress } from '../../../progress.ts';
import { recordRun } from '../../../record-run.ts';
import { LOOK_MS } from '../../looking.ts';
import { type AnalysedRun, analyseRun } from '../analyse.ts';

/** A run that is made to be measured. */
export interface TrialRequest {
  /** Folder to record into. */
  readonly record: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly plan?: AppliedPlan | undefined;
  readonly epochs: number;
  /** Seconds it may take. */
  readonly seconds: number;
  /** It ends sooner where its rate has become steady. */
  readonly untilStable: boolean;
  readonly seed?: number | undefined;
  /** The one operator whose elements are counted; else all that come to an end. */
  readonly root?: string | undefined;
  /** An operator whose output is kept: only what comes once that is complete counts. */
  readonly filled?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: LiveProgress) => void) | undefined;
}

export interface Trial extends AnalysedRun {
  /** The pipeline came to its end. */
  readonly completed: boolean;
  /** Seconds in which elements came out. */
  readonly flowed: number;
}

/** Runs a pipeline for a while, records it, and works out what the recording says. */
export async function tryOut<P, T>(definition: PipelineDefinition<P, T>, request: TrialRequest): Promise<Trial> {
  const stop = new AbortController();
  const { signal, seed } = request;
  const options: RunOptions<P> = {
    params: request.params as Partial<P>,
    epochs: request.epochs,
    plan: request.plan,
    trial: true,
    signal: AbortSignal.any([stop.signal, ...(signal === undefined ? [] : [signal])]),
    ...(seed === undefined ? {} : { seed }),
  };
  const run = recordRun(request.record, definition, options);
  const unwatch = watchProgress(run, request.onProgress, { root: request.root });
  const unclock = whenLongEnough(run, request, () => stop.abort());
  try {
    const summary = await run.drain();
    // The recording gets its final mark when the run's own end has been told to everyone.
    await new Promise(resolve => setImmediate(resolve));
    const analysed = await analyseRun(request.record, { root: request.root, filled: request.filled });
    const { firstOutput, to } = analysed.analysis.rates.steady;
    return {
      ...analysed,
      completed: summary.status === 'completed',
      flowed:
        firstOutput === undefined ? 0 : (Math.max(to, analysed.analysis.durationNs) - firstOutput) / NS_PER_SECOND,
    };
  } finally {
    unclock();
    unwatch();
  }
}

/** A slow pipeline gets this many times as long: a recording of some seconds is then over within half a minute. A judgement. */
export const PATIENCE = 5;
/** Elements until which a slow pipeline gets more time: their mean is then known to a third or so, where each takes another time. A judgement. */
const LEAST_ELEMENTS = 12;

/**
 * Calls `enough` when elements have come out for as long as was asked, or evenly. Threads, buffers and a cache that is
 * being filled have their time before that.
 */
export function whenLongEnough(
  run: Run<unknown>,
  { seconds, untilStable, root, filled }: Pick<TrialRequest, 'seconds' | 'untilStable' | 'root' | 'filled'>,
  enough: () => void,
): () => void {
  const arrivals = new Arrivals(run, root);
  let first: number | undefined;
  let started: number | undefined;
  const cache = filled === undefined ? undefined : run.graph.operators.find(operator => operator.cache !== undefined);
  let calm: NodeJS.Timeout | undefined;
  const look = setInterval(() => {
    const count = arrivals.elements;
    if (count === 0) return;
    const now = performance.now();
    first ??= now;
    if (started === undefined && (cache === undefined || isReplaying(run, cache.id, filled))) {
      started = now;
      if (untilStable) calm = whenSteady(() => arrivals.elements, enough);
    }
    const isOver = (since: number | undefined, times: number): boolean =>
      since !== undefined && now - since >= times * seconds * MS_PER_SECOND;
    if (isOver(first, PATIENCE) || (count >= LEAST_ELEMENTS && isOver(started, 1))) enough();
  }, LOOK_MS);
  return () => {
    clearInterval(look);
    clearInterval(calm);
  };
}

/** More has left a cache than has come to it: it is full, and in a later pass. A plan keeps something only where its author does not. */
function isReplaying(run: Run<unknown>, cache: string, filled: string | undefined): boolean {
  const { operators } = run.progress();
  const left = (operator: string | undefined): number => operators.find(({ id }) => id === operator)?.elementsOut ?? 0;
  return left(cache) > left(filled);
}

/** Pairs of successive seconds that must agree: one may do so by chance. */
const AGREEING = 2;
/** Seconds that takes at least. */
export const LEAST_STEADY_SECONDS = AGREEING + 1;

/** Calls `steady` once what comes in successive seconds agrees; `counted` is all that has come. */
export function whenSteady(counted: () => number, steady: () => void): NodeJS.Timeout {
  let before = counted();
  let last: number | undefined;
  let agreeing = 0;
  return setInterval(() => {
    const now = counted();
    const count = now - before;
    before = now;
    const same = last !== undefined && count > 0 && Math.abs(count - last) <= SAME * last;
    agreeing = same ? agreeing + 1 : 0;
    last = count;
    if (agreeing >= AGREEING) steady();
  }, MS_PER_SECOND);
}
