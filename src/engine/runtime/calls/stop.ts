import { caught } from '../../../errors/thrown.ts';
import { VenturiError } from '../../../model/errors.ts';

/**
 * What a lane was at ended because the run is being stopped. It unwinds everything, as a failure would, and is none: nobody behind it
 * takes it for the end of a pass.
 */
export class Stopped extends Error {
  /** What went wrong since, for the user to know. */
  readonly warnings: readonly string[];

  constructor(warnings: readonly string[] = []) {
    super('the run was asked to stop');
    this.warnings = warnings;
  }
}

/** What a lane knows of a stop. */
export interface StopView {
  readonly signal: AbortSignal;
  readonly stopping: () => boolean;
}

/** Causes that are followed from one error to the next. */
const DEEPEST = 8;

/**
 * What a user function threw, in the light of a stop. Before it, that is a `failure`. Afterwards nobody wants what the function was to
 * give: an abort is its answer to the signal, and anything else is worth a warning.
 */
export function inLightOf(stop: StopView, failure: VenturiError, what: unknown): VenturiError | Stopped {
  const thrown = caught(what);
  if (thrown instanceof Stopped) return thrown;
  if (!stop.stopping()) return failure;
  if (answers(stop.signal, thrown)) return new Stopped();
  // One of ours does not come from the stop: a full disk is full all the same.
  if (thrown instanceof VenturiError) return failure;
  return new Stopped([`${failure.message}; the run had been asked to stop before.`]);
}

/** Whether closing something failed because the run is being stopped. */
export const isAnswer = (stop: StopView, thrown: unknown): boolean =>
  caught(thrown) instanceof Stopped || (stop.stopping() && answers(stop.signal, thrown));

/** An abort, or something made of one: `fetch` gives the signal's reason, Node an error with that as its cause, others wrap either. */
function answers(signal: AbortSignal, what: unknown, depth = 0): boolean {
  const thrown = caught(what);
  if (signal.aborted && thrown === signal.reason) return true;
  if (typeof thrown !== 'object' || thrown === null || depth > DEEPEST) return false;
  try {
    const { name, code, cause, errors } = thrown as Record<'name' | 'code' | 'cause' | 'errors', unknown>;
    if (name === 'AbortError' || code === 'ABORT_ERR') return true;
    const inner = [cause, ...(thrown instanceof AggregateError && Array.isArray(errors) ? errors : [])];
    return inner.some(each => answers(signal, each, depth + 1));
  } catch {
    // It does not let itself be looked at.
    return false;
  }
}
