import type { PipelineDefinition } from '../engine/api/define.ts';
import type { Run, RunOptions } from '../engine/api/run.ts';
import type { AppliedPlan } from '../model/plan.ts';
import { NS_PER_SECOND } from '../model/units.ts';
import { type AnalysedRun, analyseRun } from './analyse.ts';
import { type LiveProgress, watchProgress } from './progress.ts';
import { recordRun } from './record-run.ts';

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
  readonly runMemory?: number | undefined;
  readonly seed?: number | undefined;
  /** The operator whose output counts, where there are several ends. */
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
  const { signal, seed, runMemory } = request;
  const options: RunOptions<P> = {
    params: request.params as Partial<P>,
    epochs: request.epochs,
    plan: request.plan,
    signal: AbortSignal.any([stop.signal, ...(signal === undefined ? [] : [signal])]),
    ...(seed === undefined ? {} : { seed }),
    ...(runMemory === undefined ? {} : { memory: runMemory }),
  };
  const run = recordRun(request.record, definition, options);
  const unwatch = watchProgress(run, request.onProgress);
  const unclock = whenLongEnough(run, request, () => stop.abort());
  try {
    const summary = await run.drain();
    // The recording gets its final mark when the run's own end has been told to everyone.
    await new Promise(resolve => setImmediate(resolve));
    const analysed = await analyseRun(request.record, { root: request.root, filled: request.filled });
    const { firstOutput, to } = analysed.analysis.rates.stretch;
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

/** Elements that have left the pipeline, or reached a sink at its end. */
function arrived(run: Pick<Run<unknown>, 'progress'>): number {
  const { elements, operators } = run.progress();
  return elements || (operators.at(-1)?.elementsIn ?? 0);
}

const LOOK_MS = 50;
/** A slow pipeline gets this many times as long, until so many elements have come. */
const PATIENCE = 5;
const LEAST_ELEMENTS = 12;

/** Calls `enough` when elements have come out for as long as was asked, or evenly. Threads and buffers have their time. */
function whenLongEnough(
  run: Run<unknown>,
  { seconds, untilStable }: Pick<TrialRequest, 'seconds' | 'untilStable'>,
  enough: () => void,
): () => void {
  let first: number | undefined;
  let calm: NodeJS.Timeout | undefined;
  const look = setInterval(() => {
    const count = arrived(run);
    if (count === 0) return;
    if (first === undefined) {
      first = performance.now();
      if (untilStable) calm = whenSteady(run, enough);
    }
    const flowed = (performance.now() - first) / 1000;
    if (flowed >= (count < LEAST_ELEMENTS ? PATIENCE : 1) * seconds) enough();
  }, LOOK_MS);
  return () => {
    clearInterval(look);
    clearInterval(calm);
  };
}

const WINDOW_MS = 1000;
/** Rates of successive windows that differ by less than this are the same (Plumber, App. A). */
const STEADY = 0.01;
/** Windows that must agree: one pair may do so by chance. */
const AGREEING = 3;

/** Calls `steady` once the rates of successive seconds agree. */
export function whenSteady(run: Pick<Run<unknown>, 'progress'>, steady: () => void): NodeJS.Timeout {
  let before = arrived(run);
  let last: number | undefined;
  let agreeing = 1;
  return setInterval(() => {
    const now = arrived(run);
    const count = now - before;
    before = now;
    const same = last !== undefined && count > 0 && Math.abs(count - last) <= STEADY * last;
    agreeing = same ? agreeing + 1 : 1;
    last = count;
    if (agreeing >= AGREEING) steady();
  }, WINDOW_MS);
}
