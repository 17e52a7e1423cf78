import { sumOf } from '../../math/totals.ts';
import { VenturiError } from '../../model/errors.ts';
import { type Collective, OP_WORK, type StepAssumption, type StepTrace } from '../../model/step-trace.ts';

const COMMUNICATION = OP_WORK.indexOf('communication');

/** An all-reduce under any of its names: `allreduce`, `all_reduce`, `ncclDevKernel_AllReduce_Sum_f32_RING_LL`. */
const ALL_REDUCE = /all_?reduce/i;
/** What plain data parallelism does besides, as of a model's buffers: it divides no model. */
const BROADCAST = /broadcast/i;
/** What moves nothing. */
const MEETING = /barrier|wait/i;
/** Part of the bytes that are all-reduced: with as few, a collective is one of a loss or of a metric, and divides no model. A judgement. */
const FEW_BYTES = 0.01;

/** An op that is an all-reduce. A thread of the host that communicates computes nothing, gloo's; one that only asks for it does its own work. */
export function isReduced(trace: StepTrace, op: number): boolean {
  const { resources, ops } = trace;
  const asks = resources[ops.resource[op] ?? 0]?.kind === 'host' && ops.work[op] !== COMMUNICATION;
  const collective = collectiveOf(trace, op);
  return !asks && collective !== undefined && ALL_REDUCE.test(collective.name);
}

/**
 * Sharded, tensor and pipeline parallelism change what each worker computes with their number, and are refused. Broadcasts, and other collectives of few
 * bytes, are left as they were recorded, which is said.
 */
export function collectivesKept(trace: StepTrace): StepAssumption[] {
  const used = collectivesOfSteps(trace);
  const others = used.filter(({ name }) => !ALL_REDUCE.test(name) && !MEETING.test(name));
  const dividing = others.filter(({ name }) => !BROADCAST.test(name));
  const [first] = dividing;
  const reduced = used.filter(({ name }) => ALL_REDUCE.test(name));
  const dividingBytes = sumOf(dividing, ({ bytes }) => bytes ?? Number.POSITIVE_INFINITY);
  if (first === undefined || dividingBytes < FEW_BYTES * sumOf(reduced, ({ bytes }) => bytes ?? 0)) {
    if (others.length === 0) return [];
    const names = [...new Set(others.map(({ name }) => name))].join(', ');
    const what = `collectives other than all-reduces (${names}): they take as long with any number of workers`;
    return [{ what, count: others.length, of: used.length }];
  }
  throw new VenturiError(
    'VENTURI_STEPS_UNREADABLE',
    `The steps contain the collective ${first.name}, so the model itself is divided among workers. With another number of them each ` +
      'would compute something else, which this trace does not tell.',
    { remedy: 'Record steps of plain data parallelism. `venturi diagnose` says what these steps wait for.' },
  );
}

type Used = Pick<Collective, 'name' | 'bytes'>;

/** Collectives in steps of the first rank, op by op; all that a trace describes where it has none of the kernels. */
function collectivesOfSteps(trace: StepTrace): readonly Used[] {
  const { ops, steps, collectives } = trace;
  if (ops.collective.every(collective => collective < 0)) return collectives;
  const used: Used[] = [];
  for (const [op, at] of ops.collective.entries()) {
    const name = collectives[at]?.name;
    if (name === undefined || steps[ops.step[op] ?? -1]?.rank !== 0) continue;
    used.push({ name, bytes: bytesMoved(trace, ops.bytes[op] ?? Number.NaN, op) });
  }
  return used;
}

/** Bytes of an op that has so many itself (NaN: nobody says), or of its collective. */
export const bytesMoved = (trace: StepTrace, own: number, op: number): number | undefined =>
  Number.isNaN(own) ? collectiveOf(trace, op)?.bytes : own;

const collectiveOf = ({ ops, collectives }: StepTrace, op: number): Collective | undefined =>
  collectives[ops.collective[op] ?? -1];
