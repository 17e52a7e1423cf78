import { ALL_REDUCE, FEW_BYTES } from '../../analysis/steps/collectives.ts';
import { sumOf } from '../../math/totals.ts';
import { VenturiError } from '../../model/errors.ts';
import { type Collective, OP_WORK, type StepAssumption, type StepTrace } from '../../model/step-trace.ts';

const COMMUNICATION = OP_WORK.indexOf('communication');

/** These divide no model. All workers meet in a barrier; in a broadcast, or in waiting for a collective, nobody waits for all others. */
const BARRIER = /barrier/i;
const BROADCAST = /broadcast/i;
const ONE_SIDED = /broadcast|wait/i;
const BROADCASTS_KEPT =
  'broadcasts of many bytes, as of a sharded optimizer: with any number of workers they take as long as recorded';

/**
 * An op in which all workers wait for each other: an all-reduce, a barrier, or a collective of few bytes. A thread of the host that communicates, as gloo's, computes nothing; one
 * that only asks for a collective does work of its own.
 */
export function needsAllWorkers(trace: StepTrace, op: number): boolean {
  const { resources, ops } = trace;
  const asks = resources[ops.resource[op] ?? 0]?.kind === 'host' && ops.work[op] !== COMMUNICATION;
  const collective = collectiveOf(trace, op);
  return !asks && collective !== undefined && !ONE_SIDED.test(collective.name);
}

/** An op that is a barrier: it moves nothing, and needs not say so. */
export const isBarrier = (trace: StepTrace, op: number): boolean => BARRIER.test(collectiveOf(trace, op)?.name ?? '');

/**
 * Sharded, tensor and pipeline parallelism change what each worker computes with their number, and are refused. Collectives of few bytes
 * are taken as all-reduces of as many bytes; the assumptions say so.
 */
export function collectiveAssumptions(trace: StepTrace): StepAssumption[] {
  const used = collectivesOfSteps(trace);
  const others = used.filter(({ name }) => ![ALL_REDUCE, BARRIER, ONE_SIDED].some(kind => kind.test(name)));
  const reduced = used.filter(({ name }) => ALL_REDUCE.test(name));
  const few = FEW_BYTES * sumOf(reduced, ({ bytes }) => bytes ?? 0);
  const broadcasts = used.filter(({ name }) => BROADCAST.test(name));
  const ofBroadcasts =
    sumOf(broadcasts, ({ bytes }) => bytes ?? 0) > few
      ? [{ what: BROADCASTS_KEPT, count: broadcasts.length, of: used.length }]
      : [];
  const [first] = others;
  if (first === undefined) return ofBroadcasts;
  if (sumOf(others, ({ bytes }) => bytes ?? Number.POSITIVE_INFINITY) < few) {
    const what = `collectives of few bytes (${first.name}): taken as all-reduces of as many bytes`;
    return [{ what, count: others.length, of: used.length }, ...ofBroadcasts];
  }
  if (reduced.length > 0 && used.every(({ bytes }) => bytes === undefined)) {
    throw new VenturiError(
      'VENTURI_STEPS_UNREADABLE',
      `The trace does not say how many bytes collectives move, so it cannot be told whether ${first.name} is that of a metric, or divides the model.`,
      { remedy: 'Record them: torch.profiler.profile(…, record_shapes=True)' },
    );
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
