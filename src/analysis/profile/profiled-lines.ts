import type { LaneDictionary } from '../../model/profile.ts';
import type { AttributedSample } from './attributed-samples.ts';
import { loopLines, ownersAt, tasksAt } from './generated-code.ts';
import type { Owner, TaskOwner } from './owner.ts';

/** A generated loop with the samples of each of its lines, over all lanes that run it. */
export interface ProfiledLoop {
  readonly stage: string;
  readonly file: string;
  readonly hits: number;
  readonly lines: readonly ProfiledLine[];
}

export interface ProfiledLine {
  readonly text: string;
  readonly operator: string | undefined;
  readonly task: string;
  /** All samples of the line. Where it has other owners, each has an equal part of them. */
  readonly hits: number;
  readonly others?: readonly TaskOwner[];
}

/** Owners of a line, each with an equal part of its samples. */
export const lineOwners = ({
  operator,
  task,
  others = [],
}: Pick<ProfiledLine, 'operator' | 'task' | 'others'>): readonly {
  readonly operator: string | undefined;
  readonly task: string;
}[] => [{ operator, task }, ...others];

/** Lanes of a stage generate the same code: their lines are counted together. */
export function loopsOf(lanes: readonly LaneDictionary[], samples: readonly AttributedSample[]): ProfiledLoop[] {
  const byLane = new Map<number, Map<number, number>>();
  for (const { lane, owner } of samples) {
    const line = lineOf(owner);
    if (line === undefined) continue;
    const hits = byLane.get(lane.tid) ?? new Map<number, number>();
    hits.set(line, (hits.get(line) ?? 0) + 1);
    byLane.set(lane.tid, hits);
  }
  const merged = new Map<string, ProfiledLoop>();
  for (const lane of lanes) {
    const { stage, isQuery, tid, loops, tasks } = lane;
    for (const [number, loop] of loops.entries()) {
      const { file, firstLine } = loop;
      const key = isQuery === true ? `${stage} ${file}` : `${stage} ${number}`;
      const before = merged.get(key);
      const listed = loopLines(loop).map((text, at): ProfiledLine => {
        const [first, ...others] = ownersAt(loop, at, lane);
        const task = first?.task ?? tasksAt(loop, at, tasks)[0]?.name ?? '';
        const hits = (before?.lines[at]?.hits ?? 0) + (byLane.get(tid)?.get(firstLine + at) ?? 0);
        return { text, operator: first?.operator, task, hits, ...(others.length === 0 ? {} : { others }) };
      });
      merged.set(key, {
        stage,
        file: before?.file ?? file,
        hits: listed.reduce((sum, { hits }) => sum + hits, 0),
        lines: listed,
      });
    }
  }
  return [...merged.values()].sort((a, b) => b.hits - a.hits);
}

const lineOf = (owner: Owner): number | undefined =>
  owner.kind === 'operator' || owner.kind === 'engine' ? owner.line : undefined;

/** A line of generated code with most of the samples, and where it stands. */
export interface HotLine extends ProfiledLine {
  readonly stage: string;
  readonly file: string;
  /** From 1. */
  readonly number: number;
  /** Of all samples of lanes at work. */
  readonly share: number;
}

const MOST_HOTTEST = 10;

/** The lines of all loops and queries that have most of the samples; what they call is not among them. */
export const hottestLines = (loops: readonly ProfiledLoop[], samples: number): HotLine[] =>
  loops
    .flatMap(({ stage, file, lines }) =>
      lines.map((line, at): HotLine => ({ stage, file, number: at + 1, ...line, share: line.hits / samples })),
    )
    .filter(({ hits }) => hits > 0)
    .sort((a, b) => b.hits - a.hits)
    .slice(0, MOST_HOTTEST);
