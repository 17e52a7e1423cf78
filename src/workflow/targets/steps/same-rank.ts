import { extentOf, joinFiles } from '../../../analysis/steps/join-files.ts';
import { VenturiError } from '../../../model/errors.ts';
import type { StepTrace } from '../../../model/step-trace.ts';
import { fileName } from '../../../report/paths.ts';

/** A file, and what it holds. */
export interface ReadFile {
  readonly file: string;
  readonly trace: StepTrace;
}

/** A trace for each rank, in their order: files of one rank and one process, each of its own time, are parts of one recording. */
export function tracesOfRanks(files: readonly ReadFile[]): StepTrace[] {
  const groups: [ReadFile, ...ReadFile[]][] = [];
  for (const each of files) {
    const group = groups.find(([first]) => sharedRank(first.trace, each.trace) !== undefined);
    if (group === undefined) groups.push([each]);
    else group.push(each);
  }
  return groups.map(joined).sort((a, b) => (a.ranks[0]?.rank ?? 0) - (b.ranks[0]?.rank ?? 0));
}

function joined(group: readonly [ReadFile, ...ReadFile[]]): StepTrace {
  const inTime = group
    .map(each => ({ ...each, ...extentOf(each.trace) }))
    .sort((a, b) => (a.start < b.start ? -1 : Number(a.start > b.start)));
  for (const [at, later] of inTime.entries()) {
    const earlier = inTime[at - 1];
    if (earlier === undefined) continue;
    const apart = differenceOf(earlier.trace, later.trace);
    if (apart !== undefined) throw ofOneRank(earlier, later, apart);
    if (later.start < earlier.end) throw ofOneRank(earlier, later, 'and their steps are of the same time');
  }
  const [first, ...others] = inTime.map(({ trace }) => trace);
  return first === undefined || others.length === 0 ? group[0].trace : joinFiles([first, ...others]);
}

/** A rank that is in both. */
const sharedRank = (one: StepTrace, other: StepTrace): number | undefined =>
  one.ranks.find(({ rank }) => other.ranks.some(each => each.rank === rank))?.rank;

/** What tells that two files are no parts of one recording. */
function differenceOf(one: StepTrace, other: StepTrace): string | undefined {
  const [first, second] = [one.ranks[0], other.ranks[0]];
  if (one.source !== other.source) return 'and in different formats';
  if (one.ranks.length > 1 || other.ranks.length > 1) return 'and one of them has further ranks';
  if (first?.process !== second?.process) {
    return `and of different processes, ${first?.process ?? 'one unnamed'} and ${second?.process ?? 'one unnamed'}`;
  }
  if (first?.worldSize !== second?.worldSize) return 'and of jobs of different sizes';
  return first?.device === second?.device ? undefined : 'and of different devices';
}

const ofOneRank = (one: ReadFile, other: ReadFile, why: string): VenturiError =>
  new VenturiError(
    'VENTURI_STEPS_UNREADABLE',
    `${fileName(one.file)} and ${fileName(other.file)} are both of rank ${sharedRank(one.trace, other.trace)}, or do not say of which, ${why}.`,
    { remedy: 'Give one of them, or a folder with the traces of one job alone.' },
  );
