import { availableParallelism, totalmem } from 'node:os';
import { isInside } from '../../files/inside-folder.ts';
import type { AppliedPlan, Truncation } from '../../model/applied-plan.ts';
import { VenturiError } from '../../model/errors.ts';
import type { Action } from '../../model/plan.ts';
import { MOST_CHANGES, type PlanLimits } from '../../model/plan-limits.ts';

/** Threads that any machine bears, as long as it has the memory for them: most may be asleep. */
const LANES_ANYWHERE = 64;
const LANES_PER_CORE = 4;
/** About what a thread takes that does little. Half of the memory may go for threads. */
const LANE_BYTES = 16 * 2 ** 20;
/** Calls under way in one thread: more files and sockets than this a process seldom may open. */
const MOST_CALLS = 1024;
/** A buffer takes of the run's memory whatever it is told; these are figures that nobody means. */
const MOST_BUFFERED = 2 ** 24;
const MOST_SLOTS = 4096;

/** Limits that hold: those given, else those of the machine. */
interface Allowed {
  readonly cacheFolder?: string | undefined;
  readonly lanes: number;
  readonly concurrency: number;
  readonly memory: number;
}

/** What a plan from elsewhere may ask of this machine, unless told otherwise. */
function hostLimits(): Allowed {
  const memory = Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY);
  const byCores = Math.max(LANES_ANYWHERE, LANES_PER_CORE * availableParallelism());
  return {
    lanes: Math.max(1, Math.min(byCores, Math.floor(memory / 2 / LANE_BYTES))),
    concurrency: MOST_CALLS,
    memory,
  };
}

/**
 * Throws where a plan asks for more than it may, with all that is refused. `before` are the pipeline's lanes without it; those
 * with it, `after`, are asked for last: to carry out a plan takes time by its size.
 */
export function checkLimits({ actions }: AppliedPlan, given: PlanLimits, before: number, after: () => number): void {
  if (actions.length > MOST_CHANGES) {
    throw refused([`it has ${actions.length} changes, where ${MOST_CHANGES} are allowed`]);
  }
  const host = hostLimits();
  const limits: Allowed = {
    cacheFolder: given.cacheFolder,
    lanes: Math.max(before, given.lanes ?? host.lanes),
    concurrency: given.concurrency ?? host.concurrency,
    memory: given.memory ?? host.memory,
  };
  const reasons = actions.flatMap(action => whyRefused(action, limits) ?? []);
  const kept = actions.reduce((sum, action) => sum + keptInMemory(action), 0);
  if (kept > limits.memory) {
    const caches = named(actions.filter(action => keptInMemory(action) > 0));
    reasons.push(`caches of ${kept} bytes in memory (${caches}), where ${limits.memory} are allowed`);
  }
  if (reasons.length > 0) throw refused(reasons);
  const lanes = after();
  if (lanes > limits.lanes) {
    const adding = named(actions.filter(({ kind }) => ADDING.has(kind)));
    throw refused([`${lanes} threads in place of ${before} (${adding}), where ${limits.lanes} are allowed`]);
  }
}

/** Changes that make threads of their own. */
const ADDING: ReadonlySet<string> = new Set(['parallelism', 'prefetch', 'cache', 'divide']);

const keptInMemory = (action: Action | Truncation): number =>
  action.kind === 'cache' && action.folder === undefined ? action.limit : 0;

const named = (actions: AppliedPlan['actions']): string =>
  actions.map(({ kind, operator }) => `${kind} of '${operator}'`).join(', ');

function whyRefused(action: Action | Truncation, limits: Allowed): string | undefined {
  const { kind, operator } = action;
  const above = (what: string, value: number | undefined, most: number): string | undefined =>
    value === undefined || value <= most ? undefined : `${value} ${what} for '${operator}', where ${most} are allowed`;
  switch (kind) {
    case 'parallelism':
      return above('threads', action.to, limits.lanes);
    case 'divide':
      return above('threads', action.parallelism, limits.lanes);
    case 'concurrency':
      return above('calls at once', action.to, limits.concurrency);
    case 'prefetch':
      return above('buffered elements', action.elements, MOST_BUFFERED) ?? above('slots', action.slots, MOST_SLOTS);
    case 'cache':
      return action.folder === undefined ? undefined : whyNotThere(operator, action.folder, limits.cacheFolder);
    default:
      return undefined;
  }
}

function whyNotThere(operator: string, folder: string, allowed: string | undefined): string | undefined {
  const cache = `a cache of '${operator}' in ${folder}`;
  if (allowed === undefined) return `${cache}, where no folder for caches is allowed`;
  try {
    return isInside(allowed, folder) ? undefined : `${cache}, which is not below ${allowed}`;
  } catch (error) {
    return `${cache}, of which it cannot be told where it leads (${(error as Error).message})`;
  }
}

const refused = (reasons: readonly string[]): VenturiError =>
  new VenturiError('VENTURI_PLAN_REFUSED', `the plan asks for more than it may: ${reasons.join('; ')}`, {
    remedy:
      'take these changes out of the plan; or, where you trust it, allow them: --cache-folder FOLDER and --max-lanes N, or the limits of applyPlan',
  });
