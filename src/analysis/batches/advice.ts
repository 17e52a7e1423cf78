import { highest } from '../../math/totals.ts';
import { type Ns, ns } from '../../model/units.ts';
import type { LoaderSummary } from './summary.ts';
import { HARDLY } from './verdict.ts';

/** A change to a loader, or to its work, that the recording suggests. Not a forecast: its gain is to be measured. */
export type Advice =
  | { readonly change: 'workers'; readonly from: number; readonly to: number }
  /** Preparation mostly queues for a core: other programs have them. */
  | { readonly change: 'cores'; readonly part: number }
  /** There is a worker for every core: only cheaper work helps, and this operator has the largest part of it. */
  | { readonly change: 'cheaper'; readonly operator: string | undefined; readonly part: number }
  | { readonly change: 'order' }
  /** Workers are started anew for every pass. */
  | { readonly change: 'persist' }
  /** Pinning takes longer than sending. */
  | { readonly change: 'unpin' }
  /** Sending a batch takes longer than preparing it. */
  | { readonly change: 'larger'; readonly handOverPerBatch: Ns }
  | { readonly change: 'smaller' };

const MOSTLY = 0.5;

/** The change to a loader; undefined where its consumer does not wait for it, or too little was recorded. */
export function advise(loader: LoaderSummary): Advice | undefined {
  const { verdict, evidence, workers } = loader;
  const queued = evidence.coreWaitPerBatch / evidence.preparationPerBatch;
  switch (verdict.bound) {
    case 'consumer':
      return verdict.workersWanted === undefined ? undefined : preparationAdvice(loader, queued);
    case 'preparation':
      return preparationAdvice(loader, queued);
    case 'start':
      return workers > 0 && loader.settings?.persistent_workers === false ? { change: 'persist' } : undefined;
    case 'order':
      // Batches come late because others have the cores.
      return queued > MOSTLY ? { change: 'cores', part: queued } : { change: 'order' };
    case 'transfer':
      return transferAdvice(loader);
    case 'balanced':
    case 'unclear':
      return undefined;
  }
}

function preparationAdvice({ verdict, evidence, workers, operators }: LoaderSummary, queued: number): Advice {
  if (queued > MOSTLY) return { change: 'cores', part: queued };
  const wanted = verdict.workersWanted ?? workers + 1;
  const to = Math.min(wanted, Math.max(1, Math.floor(evidence.coresUsable)));
  if (to > workers) return { change: 'workers', from: workers, to };
  const heaviest = highest(operators, row => row.share);
  return { change: 'cheaper', operator: heaviest?.operator, part: heaviest?.share ?? 0 };
}

function transferAdvice({ waitSplit, evidence }: LoaderSummary): Advice {
  if (waitSplit.pinning > waitSplit.transfer) return { change: 'unpin' };
  const handOverPerBatch = ns(evidence.waitPrepared / Math.max(1, evidence.batches));
  return handOverPerBatch > evidence.preparationPerBatch
    ? { change: 'larger', handOverPerBatch }
    : { change: 'smaller' };
}

/**
 * The loader that a program is judged by: the one that is waited for longest, or, where none is waited for much, the one with the longest
 * passes. Loaders with too few recorded batches count only where there are no others.
 */
export function mostWaitedFor(loaders: readonly LoaderSummary[]): LoaderSummary | undefined {
  const clear = loaders.filter(({ verdict }) => verdict.bound !== 'unclear');
  const judged = clear.length > 0 ? clear : loaders;
  const costliest = highest(judged, ({ cost }) => cost.lost);
  return costliest !== undefined && costliest.cost.lostOfProgram < HARDLY
    ? highest(judged, ({ cost }) => cost.passesOfProgram)
    : costliest;
}
