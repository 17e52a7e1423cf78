import { waitTime } from '../../analysis/batches/batch.ts';
import { roleOf } from '../../analysis/batches/fold.ts';
import { firstAtLeast, type Pyramid } from '../../analysis/pyramid/pyramid.ts';
import type { SpanColumns } from '../../analysis/pyramid/sorted-spans.ts';
import { groupedBy } from '../../math/groups.ts';
import type { BatchesData } from './batches.ts';
import type { TimelineArrow } from './tiles.ts';

/** From the lane in which a batch was prepared to that of its consumer; none where one lane did both. */
export function batchArrows(pyramid: Pyramid, { loaders }: BatchesData): TimelineArrow[] {
  const laneOf = laneFinder(pyramid);
  return loaders.flatMap(({ batches }) =>
    batches.flatMap((batch): TimelineArrow[] => {
      const fromLane = laneOf(batch.preparer, 'prepare', batch.prepareStart);
      const toLane = laneOf(batch.consumer, 'wait', batch.waitStart);
      if (fromLane === undefined || toLane === undefined || fromLane === toLane) return [];
      const { number, prepareEnd: fromNs, waitEnd: toNs } = batch;
      return [{ batch: number, fromLane, fromNs, toLane, toNs, waitNs: waitTime(batch) }];
    }),
  );
}

/** The lane of a process in which a span of that role begins at a moment, by its place in the list. */
function laneFinder({ lanes, subjects }: Pyramid) {
  const ofProcess = groupedBy([...lanes.entries()], ([, { lane }]) => lane.pid);
  const roles = subjects.map(key => roleOf(key).type);
  const isThere = ({ start, subject }: SpanColumns, role: string, at: number): boolean => {
    for (let row = firstAtLeast(start, at); start[row] === at; row++) {
      if (roles[subject[row] ?? -1] === role) return true;
    }
    return false;
  };
  return (pid: number, role: 'prepare' | 'wait', at: number): number | undefined =>
    ofProcess.get(pid)?.find(([, { series }]) => series.some(({ spans }) => isThere(spans, role, at)))?.[0];
}
