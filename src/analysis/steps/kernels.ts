import type { StepTrace } from '../../model/step-trace.ts';
import { type Ns, ns, type Share, share } from '../../model/units.ts';
import { collectiveCalls } from './collective-calls.ts';
import { OpKinds } from './work.ts';

/** Ops of one name on devices, over all steps. */
export interface KernelRow {
  readonly name: string;
  readonly work: 'compute' | 'communication' | 'copy';
  readonly count: number;
  readonly total: Ns;
  readonly mean: Ns;
  readonly least: Ns;
  readonly most: Ns;
  /** Of the time of all ops on devices. */
  readonly share: Share;
}

/** Ops on devices by name, those with the most time first. A rank without a device has its operators, by their own time. */
export function kernelRows(trace: StepTrace, rank: number): readonly KernelRow[] {
  const { ops } = trace;
  const kinds = new OpKinds(trace);
  const hasDevice = trace.resources.some(resource => resource.kind === 'device' && resource.rank === rank);
  const own = hasDevice ? ops.duration : ownTimes(trace);
  const calls = collectiveCalls(trace, kinds);
  const rows = new Map<number, { op: number; count: number; total: number; least: number; most: number }>();
  let all = 0;
  for (let op = 0; op < ops.count; op++) {
    if (kinds.rank(op) !== rank || (ops.step[op] ?? -1) < 0) continue;
    const work = kinds.work(op);
    const isKernel = hasDevice
      ? kinds.resource(op) === 'device' && work !== 'annotation'
      : work === 'operator' || work === 'compute' || work === 'communication' || work === 'copy';
    if (!isKernel) continue;
    const time = own[op] ?? 0;
    const name = ops.name[op] ?? 0;
    const row = rows.get(name) ?? { op, count: 0, total: 0, least: Number.POSITIVE_INFINITY, most: 0 };
    rows.set(name, {
      ...row,
      op: calls.has(op) ? op : row.op,
      count: row.count + 1,
      total: row.total + time,
      least: Math.min(row.least, time),
      most: Math.max(row.most, time),
    });
    all += time;
  }
  return [...rows.values()]
    .map(({ op, count, total, least, most }) => {
      const work = calls.has(op) ? 'communication' : kinds.work(op);
      return {
        name: kinds.name(op),
        work: work === 'communication' || work === 'copy' ? work : ('compute' as const),
        count,
        total: ns(total),
        mean: ns(total / count),
        least: ns(least),
        most: ns(most),
        share: share(all > 0 ? total / all : 0),
      };
    })
    .sort((a, b) => b.total - a.total);
}

/** Durations without those of ops directly inside. */
function ownTimes({ ops }: StepTrace): Float64Array {
  const own = ops.duration.slice();
  for (let op = 0; op < ops.count; op++) {
    const parent = ops.parent[op] ?? -1;
    if (parent >= 0) own[parent] = Math.max(0, (own[parent] ?? 0) - (ops.duration[op] ?? 0));
  }
  return own;
}
