import { ratio } from '../../math/ratio.ts';
import { sumOf } from '../../math/totals.ts';
import { type Ns, ns, type Share, share } from '../../model/units.ts';
import type { PassSummary } from './pass.ts';
import type { RankSummary } from './ranks.ts';

/** Cost of a loader to its program. Shares are of the time from the first batch asked for to the end of the last pass. */
export interface LoaderCost {
  /** Time gained if its consumer never waited; of several ranks the longest, because the others wait for that one. */
  readonly lost: Ns;
  readonly lostOfProgram: Share;
  /** Passes over it, which may lie inside those over another loader. */
  readonly passesOfProgram: Share;
}

interface CostEvidence {
  readonly ranks: readonly Pick<RankSummary, 'lost'>[];
  readonly passes: readonly Pick<PassSummary, 'start' | 'end'>[];
}

export function costOf({ ranks, passes }: CostEvidence, programTime: number): LoaderCost {
  const lost = Math.max(0, ...ranks.map(rank => rank.lost));
  const inPasses = sumOf(passes, pass => pass.end - pass.start) / Math.max(1, ranks.length);
  const part = (time: number): Share => share(Math.min(1, ratio(time, programTime)));
  return { lost: ns(lost), lostOfProgram: part(lost), passesOfProgram: part(inPasses) };
}
