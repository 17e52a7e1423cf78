import { isNarrow } from '../../math/narrow-interval.ts';
import type { Interval } from '../../math/statistics.ts';
import { type Arrangement, recordedArrangement } from './arrangement.ts';
import { ceilingConstraints, tightest } from './ceiling.ts';
import { type Binding, evaluate } from './evaluate.ts';
import { certainly } from './handing.ts';
import type { CostModel, Doubt } from './model.ts';

/** What an arrangement is expected to deliver. */
export interface Forecast {
  /** Counted elements per second. Without an estimate where it cannot be told. */
  readonly rate: Interval;
  readonly binding: Binding;
  /** Why it cannot be told; none where it can. */
  readonly doubts: readonly Doubt[];
}

/**
 * The evaluated rate, times what the recording reached of its own evaluation. The band has every demand and cost at either end of its
 * interval, that residual (waiting at channels, uneven lanes and cores that others used may come again, or not), and what parts of the
 * recording differ by: another run may be like any of them. No end of it lies above that of the ceiling.
 */
export function forecast(model: CostModel, arrangement: Arrangement): Forecast {
  const { rate, binding } = evaluate(model, arrangement);
  const interval = bandOf(model, arrangement, rate);
  const doubts = doubtsOf(model, arrangement, interval);
  return {
    rate: doubts.length > 0 ? { ...interval, estimate: Number.NaN } : interval,
    binding,
    doubts,
  };
}

/** The band about an evaluated rate, whether or not it is narrow enough to say anything. Of what was recorded it is what was measured. */
export function bandOf(model: CostModel, arrangement: Arrangement, rate: number): Interval {
  const { residual, measured, variation } = model;
  if (isRecorded(model, arrangement)) return measured;
  const most = ceilingFor(model, arrangement);
  const estimate = Math.min(rate * residual.estimate, most.estimate);
  const [low, high] = [evaluate(model, arrangement, 'low').rate, evaluate(model, arrangement, 'high').rate];
  return {
    estimate,
    // A service may answer no more calls than it does now.
    low: Math.min(
      estimate,
      (low * Math.min(1, residual.low)) / (1 + variation),
      hasUnseenCalls(model, arrangement) ? measured.low : low,
    ),
    high: Math.max(estimate, Math.min(high * Math.max(1, residual.high) * (1 + variation), most.high)),
    confidence: measured.confidence,
  };
}

/** The most that anything could deliver with what the arrangement still works on. How a service behaves with more calls is left open. */
function ceilingFor(model: CostModel, { operators }: Arrangement): Interval {
  const idle = new Set(operators.filter(each => each.idle).map(({ id }) => id));
  return tightest(ceilingConstraints(model, { isNeeded: id => !idle.has(id), moreCalls: true }));
}

/** It has more calls at once than anybody has seen. */
const hasUnseenCalls = (model: CostModel, { operators }: Arrangement): boolean =>
  operators.some(({ id, concurrency }) => {
    const recorded = model.operators.find(each => each.id === id)?.concurrency;
    return concurrency !== recorded && model.calls[id]?.blocked === undefined;
  });

/** It is the recorded arrangement, on what it was recorded on. */
const isRecorded = (model: CostModel, arrangement: Arrangement): boolean => {
  const shape = ({ stages }: Arrangement): string =>
    JSON.stringify(
      stages.map(({ operators, lanes }) => [
        lanes,
        operators.map(({ id, idle, concurrency }) => [id, idle, concurrency]),
      ]),
    );
  return model.asRecorded && shape(arrangement) === shape(recordedArrangement(model));
};

/** However wide, the band says whether the arrangement is better or worse than the recorded one. */
const isDecisive = ({ low, high }: Interval, { measured }: CostModel): boolean =>
  low > measured.high || (low > 0 && high < measured.low);

/** Why nothing can be told: what nobody saw, or an interval so wide that it says nothing. */
function doubtsOf(model: CostModel, arrangement: Arrangement, interval: Interval): readonly Doubt[] {
  const working = new Set(arrangement.operators.filter(({ idle }) => !idle).map(({ id }) => id));
  const unseen = model.doubts.filter(doubt => 'operator' in doubt && working.has(doubt.operator));
  if (unseen.length > 0) return unseen;
  if (isNarrow(interval)) return [];
  const unmeasured = model.doubts.filter(({ kind }) => kind === 'costs-unmeasured');
  if (unmeasured.length > 0 && !(interval.low > 0)) return unmeasured;
  if (!isNarrow({ low: model.residual.low, high: Math.max(1, model.residual.high) })) return [{ kind: 'disturbed' }];
  if (isDecisive(interval, model)) return [];
  const certain = { ...model, handing: certainly(model.handing) };
  const isOfHanding = isNarrow(bandOf(certain, arrangement, interval.estimate / model.residual.estimate));
  return [{ kind: isOfHanding ? 'handing-varies' : 'short' }];
}
