import { median } from '../../math/statistics.ts';
import { VenturiError } from '../../model/errors.ts';
import type { StepTrace } from '../../model/step-trace.ts';
import { StepTraceBuilder } from '../../model/step-trace-builder.ts';
import { appendTrace } from './append-trace.ts';
import { matchCollectives } from './collective-match.ts';

/** Fewer common collectives say nothing of a clock: any of them may have been disturbed. */
const ENOUGH_COLLECTIVES = 3;

/**
 * Traces of several ranks as one. Hosts' clocks differ by more than a collective takes: each rank's times are moved by the median of the difference
 * between the ends of collectives that it has in common with the first rank, which all leave at the same time.
 */
export function mergeRanks(traces: readonly StepTrace[]): StepTrace {
  const [only, ...others] = traces;
  if (only === undefined || others.length === 0) {
    if (only === undefined) throw new VenturiError('VENTURI_STEPS_NONE', 'There is no trace of training steps.');
    return only;
  }
  const offsets = clockOffsets(
    joined(
      traces,
      traces.map(() => 0),
    ),
  );
  return joined(traces, offsets);
}

/** By rank: how far its clock is ahead of the first one's, ns; undefined where too little is known. */
function clockOffsets(trace: StepTrace): readonly (number | undefined)[] {
  const { start, duration } = trace.ops;
  const differences: number[][] = trace.ranks.map(() => []);
  for (const { ops } of matchCollectives(trace)) {
    const first = ops.get(0);
    if (first === undefined) continue;
    const endOf = (op: number): number => (start[op] ?? 0) + (duration[op] ?? 0);
    for (const [rank, op] of ops) if (rank > 0) differences[rank]?.push(endOf(op) - endOf(first));
  }
  return differences.map((all, rank) => {
    if (rank === 0) return 0;
    return all.length < ENOUGH_COLLECTIVES ? undefined : Math.round(median(all));
  });
}

/** Traces with what they refer to numbered anew. */
function joined(traces: readonly StepTrace[], offsets: readonly (number | undefined)[]): StepTrace {
  const builder = new StepTraceBuilder();
  const base = BigInt(traces[0]?.base ?? 0);
  let rank = 0;
  for (const trace of traces) {
    const shift = Number(BigInt(trace.base) - base) - (offsets[rank] ?? 0);
    addTrace(builder, trace, rank, shift, offsets[rank] ?? 0);
    rank += trace.ranks.length;
  }
  builder.assume(
    'ranks with too few collectives in common with the first: their clocks are as they were, and who waits for them is not known',
    offsets.filter(offset => offset === undefined).length,
    rank,
  );
  return builder.build(traces[0]?.source ?? '', String(base));
}

function addTrace(builder: StepTraceBuilder, trace: StepTrace, rank: number, shift: number, clockOffset: number): void {
  for (const each of trace.ranks) builder.rank(clockOffset === 0 ? each : { ...each, clockOffset });
  const resources = trace.resources.map(each =>
    builder.resource(each.rank === undefined ? each : { ...each, rank: rank + each.rank }),
  );
  appendTrace(builder, trace, { rank, resources, shift, numberShift: 0 });
}
