import type { PipelineDefinition } from '../engine/api/define.ts';
import type { Run, RunOptions } from '../engine/api/run.ts';
import type { AppliedPlan } from '../model/plan.ts';
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
  readonly seconds: number;
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
  const timer = setTimeout(() => stop.abort(), request.seconds * 1000);
  const unwatch = watchProgress(run, request.onProgress);
  const calm = request.untilStable ? whenSteady(run, () => stop.abort()) : undefined;
  try {
    const summary = await run.drain();
    // The recording gets its final mark when the run's own end has been told to everyone.
    await new Promise(resolve => setImmediate(resolve));
    const analysed = await analyseRun(request.record, { root: request.root, filled: request.filled });
    return { ...analysed, completed: summary.status === 'completed', seconds: summary.seconds };
  } finally {
    clearTimeout(timer);
    clearInterval(calm);
    unwatch();
  }
}

const WINDOW_MS = 1000;
/** Rates of successive windows that differ by less than this are the same (Plumber, App. A). */
const STEADY = 0.01;
/** Windows that must agree: one pair may do so by chance. */
const AGREEING = 3;

/** Calls `steady` once the rates of successive seconds agree. */
function whenSteady(run: Run<unknown>, steady: () => void): NodeJS.Timeout {
  let before = run.progress().elements;
  let last: number | undefined;
  let agreeing = 1;
  return setInterval(() => {
    const { elements } = run.progress();
    const count = elements - before;
    before = elements;
    const same = last !== undefined && count > 0 && Math.abs(count - last) <= STEADY * last;
    agreeing = same ? agreeing + 1 : 1;
    last = count;
    if (agreeing >= AGREEING) steady();
  }, WINDOW_MS);
}
