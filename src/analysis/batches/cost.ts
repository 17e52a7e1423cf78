import { type Ns, ns, type Share, share } from '../../model/units.ts';
import type { PassSummary } from './pass.ts';
import type { RankSummary } from './ranks.ts';

/** What a loader costs the program whose time, from the first batch asked for to the end of the last pass, is the whole. */
export interface LoaderCost {
  /** What would be gained if its consumer never waited; of several ranks the longest, because the others wait for that one. */
  readonly lost: Ns;
  readonly lostOfProgram: Share;
  /** The passes over it, which may lie inside those over another. */
  readonly passesOfProgram: Share;
}

interface CostEvidence {
  readonly ranks: readonly Pick<RankSummary, 'lost'>[];
  readonly passes: readonly Pick<PassSummary, 'start' | 'end'>[];
}

export function costOf({ ranks, passes }: CostEvidence, programTime: number): LoaderCost {
  const lost = Math.max(0, ...ranks.map(rank => rank.lost));
  const inPasses = passes.reduce((sum, pass) => sum + pass.end - pass.start, 0) / Math.max(1, ranks.length);
  const part = (time: number): Share => share(programTime > 0 ? Math.min(1, time / programTime) : 0);
  return { lost: ns(lost), lostOfProgram: part(lost), passesOfProgram: part(inPasses) };
}
