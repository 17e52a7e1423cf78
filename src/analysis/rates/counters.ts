import { entryOf } from '../../math/groups.ts';
import { type Metric, metricOf } from '../../model/metric.ts';
import { RECORD_KIND } from '../../model/record.ts';
import type { LaneInfo, RecordBlock } from '../../model/span.ts';

/** A counter as one lane left it. */
export interface Reading {
  /** The value at its latest moment; for a total, what the lane counted from its start to its end. */
  last: number;
  most: number;
  least: number;
}

export type Readings = Partial<Record<Metric, Reading>>;

/** One lane's counters by subject key. */
export interface LaneCounters {
  readonly lane: LaneInfo;
  readonly subjects: ReadonlyMap<string, Readings>;
}

interface Slot extends Reading {
  moment: number;
}

/** Metric codes fit into a byte of the record, so this keeps subject and metric apart in one number. */
const CODES = 256;

/** Folds the counter records of a run down to one reading per lane, subject and metric. Memory does not grow with time. */
export class CounterFold {
  readonly #lanes = new Map<number, { readonly lane: LaneInfo; readonly slots: Map<number, Slot> }>();
  #subjects: readonly string[] = [];

  block(block: RecordBlock, subjects: readonly string[]): void {
    this.#subjects = subjects;
    const { count, kind, flags, subject, start, duration } = block;
    const { slots } = entryOf(this.#lanes, block.lane.index, () => ({ lane: block.lane, slots: new Map() }));
    for (let i = 0; i < count; i++) {
      const number = subject[i] ?? -1;
      if (kind[i] !== RECORD_KIND.counter || number < 0) continue;
      const key = number * CODES + (flags[i] ?? 0);
      const moment = start[i] ?? 0;
      const value = duration[i] ?? 0;
      const slot = slots.get(key);
      if (slot === undefined) {
        slots.set(key, { moment, last: value, most: value, least: value });
        continue;
      }
      if (value > slot.most) slot.most = value;
      if (value < slot.least) slot.least = value;
      if (moment >= slot.moment) {
        slot.moment = moment;
        slot.last = value;
      }
    }
  }

  /** The lanes in the run's order. Metrics that a newer writer added are left out. */
  lanes(): LaneCounters[] {
    return [...this.#lanes.values()]
      .sort((a, b) => a.lane.index - b.lane.index)
      .map(({ lane, slots }) => {
        const subjects = new Map<string, Readings>();
        for (const [key, slot] of slots) {
          const metric = metricOf(key % CODES);
          const subject = this.#subjects[Math.floor(key / CODES)];
          if (metric === undefined || subject === undefined) continue;
          entryOf(subjects, subject, (): Readings => ({}))[metric] = slot;
        }
        return { lane, subjects };
      });
  }
}
