import { entryOf } from '../../../math/groups.ts';
import { type NodeRun, runEnd } from './node-run.ts';

/** For each device, how many of the executions overlap at most; they are in order of start. */
export function greatestOverlap(runs: readonly NodeRun[]): Map<string, number> {
  const ends = new Map<string, bigint[]>();
  for (const run of runs) {
    const { device } = run;
    entryOf(ends, device, () => []).push(runEnd(run));
  }
  for (const list of ends.values()) list.sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  const most = new Map<string, number>();
  const begun = new Map<string, number>();
  const ended = new Map<string, number>();
  for (const { device, start } of runs) {
    const list = ends.get(device) ?? [];
    let past = ended.get(device) ?? 0;
    while (past < list.length && (list[past] ?? 0n) <= start) past++;
    ended.set(device, past);
    const count = (begun.get(device) ?? 0) + 1;
    begun.set(device, count);
    most.set(device, Math.max(most.get(device) ?? 1, count - past));
  }
  return most;
}
