import { sumOf } from '../../math/totals.ts';
import type { StepTrace } from '../../model/step-trace.ts';
import { type Bytes, bytes, type Ns, ns } from '../../model/units.ts';
import { OpKinds } from './work.ts';

/** Collectives of one name and group size, per step of a rank. */
export interface CollectiveRow {
  readonly name: string;
  readonly groupSize: number | undefined;
  readonly perStep: number;
  /** Undefined where the trace does not say it of all of them. */
  readonly bytesPerStep: Bytes | undefined;
  readonly timePerStep: Ns;
}

/** How a model is divided among ranks, by the collectives it uses. Guessed: no trace says it. */
export type Parallelism = 'data' | 'fully sharded data' | 'expert or embedding' | 'pipeline';

export function collectiveRows(trace: StepTrace, rank: number): readonly CollectiveRow[] {
  const kinds = new OpKinds(trace);
  const { ops } = trace;
  const steps = trace.steps.filter(step => step.rank === rank).length;
  const rows = new Map<
    string,
    { name: string; groupSize: number | undefined; count: number; size: number; time: number }
  >();
  for (let op = 0; op < ops.count; op++) {
    if (kinds.rank(op) !== rank || kinds.work(op) !== 'communication' || (ops.step[op] ?? -1) < 0) continue;
    const collective = trace.collectives[ops.collective[op] ?? -1];
    const name = collective?.name ?? kinds.name(op);
    const groupSize = collective?.groupSize;
    const key = `${name} ${groupSize}`;
    const row = rows.get(key) ?? { name, groupSize, count: 0, size: 0, time: 0 };
    row.count++;
    row.size += ops.bytes[op] ?? Number.NaN;
    row.time += ops.duration[op] ?? 0;
    rows.set(key, row);
  }
  return [...rows.values()]
    .map(({ name, groupSize, count, size, time }) => ({
      name,
      groupSize,
      perStep: count / Math.max(1, steps),
      bytesPerStep: Number.isNaN(size) ? undefined : bytes(size / Math.max(1, steps)),
      timePerStep: ns(time / Math.max(1, steps)),
    }))
    .sort((a, b) => b.timePerStep - a.timePerStep);
}

/** An all-reduce under any of its names: `allreduce`, `all_reduce`, `ncclDevKernel_AllReduce_Sum_f32_RING_LL`. */
export const ALL_REDUCE = /all_?reduce/i;
/** Part of the bytes that are all-reduced: with as few, a collective is one of a loss or of a metric, and divides no model. A judgement. */
export const FEW_BYTES = 0.01;

/** What TensorFlow calls a transfer from one process to another: of parameter servers, as a rule. */
const TRANSFER = /^RecvTensor/;

/** What the collectives of a step are those of; undefined where there are none. */
export function parallelismOf(rows: readonly CollectiveRow[]): Parallelism | undefined {
  const reduced = rows.filter(({ name }) => ALL_REDUCE.test(name));
  const few = FEW_BYTES * sumOf(reduced, ({ bytesPerStep }) => bytesPerStep ?? 0);
  const own = rows.filter(({ name, bytesPerStep }) => !TRANSFER.test(name) && !((bytesPerStep ?? Number.NaN) < few));
  const has = (pattern: RegExp): boolean => own.some(({ name }) => pattern.test(name));
  if (own.length === 0) return undefined;
  if (has(/^(?:send|recv|isend|irecv)|SendRecv/i)) return 'pipeline';
  if (has(/all_?to_?all|\bep::|deep_?ep/i)) return 'expert or embedding';
  if (has(/reduce_?scatter/i) && has(/all_?gather/i)) return 'fully sharded data';
  return 'data';
}
