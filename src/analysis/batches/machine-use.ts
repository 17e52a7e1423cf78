import { entryOf } from '../../math/groups.ts';
import { sumOf } from '../../math/totals.ts';
import { type Metric, metricOf } from '../../model/metric.ts';
import { RECORD_KIND, subject as subjectKey } from '../../model/record.ts';
import type { LaneInfo, RecordBlock } from '../../model/span.ts';
import { NS_PER_MICROSECOND } from '../../model/units.ts';

export interface Sample {
  readonly at: number;
  readonly value: number;
}

/** Resource use of a process, as its own lane counted it. A process whose threads come and go may be counted by several lanes in turn. */
export interface ProcessUse {
  readonly lane: LaneInfo;
  /** Bytes asked from storage, and bytes that a device delivered. */
  readonly asked: number;
  readonly read: number;
  /** Peak of its resident and of its private memory, bytes; NaN where not recorded. */
  readonly resident: number;
  readonly private: number;
  /** Over time: resident memory less shared memory, and private memory. */
  readonly unsharedOverTime: readonly Sample[];
  readonly privateOverTime: readonly Sample[];
}

/** Use of the machine by the processes of a recorded program, and by all programs together. */
export interface MachineUse {
  readonly processes: readonly ProcessUse[];
  /** Cores this program used between two moments, all its processes together. */
  own(from: number, to: number): number;
  /** Cores that all programs used; NaN where not recorded. */
  all(from: number, to: number): number;
  /** Available memory of the machine, bytes: its minimum, and its value at the end; NaN where not recorded. */
  readonly memoryAvailable: number;
  readonly memoryLeft: number;
  /** Size of /dev/shm, through which batches pass, bytes; NaN where not recorded. */
  readonly sharedSpace: number;
}

/** Gathers the counters of processes and of the host: few a second, so all of them are kept. */
export class MachineFold {
  readonly #samples = new Map<string, Sample[]>();
  readonly #lanes = new Map<number, LaneInfo>();

  block(block: RecordBlock, subjects: readonly string[]): void {
    const { count, kind, flags, subject, start, duration, lane } = block;
    for (let row = 0; row < count; row++) {
      if (kind[row] !== RECORD_KIND.counter) continue;
      const key = subjects[subject[row] ?? -1];
      const metric = metricOf(flags[row] ?? 0);
      if (metric === undefined || (key !== subjectKey.process && key !== subjectKey.host)) continue;
      if (key === subjectKey.process) this.#lanes.set(lane.index, lane);
      this.#of(lane.index, metric).push({ at: start[row] ?? 0, value: duration[row] ?? 0 });
    }
  }

  #of(lane: number, metric: Metric): Sample[] {
    return entryOf(this.#samples, `${lane}:${metric}`, () => []);
  }

  result(): MachineUse {
    const lanes = [...this.#lanes.values()];
    const most = (lane: LaneInfo, metric: Metric): number => best(this.#of(lane.index, metric), Math.max);
    const anywhere = (metric: Metric): Sample[] =>
      [...this.#samples].filter(([key]) => key.endsWith(`:${metric}`)).flatMap(([, samples]) => samples);
    const cores = (samples: readonly Sample[], from: number, to: number): number =>
      ((valueAt(samples, to) - valueAt(samples, from)) * NS_PER_MICROSECOND) / (to - from);
    return {
      processes: lanes.map(lane => ({
        lane,
        asked: most(lane, 'storageAsked') || 0,
        read: most(lane, 'storageRead') || 0,
        resident: most(lane, 'residentMemory'),
        private: most(lane, 'privateMemory'),
        unsharedOverTime: difference(this.#of(lane.index, 'residentMemory'), this.#of(lane.index, 'sharedMemory')),
        privateOverTime: this.#of(lane.index, 'privateMemory'),
      })),
      own: (from, to) => sumOf(lanes, lane => cores(this.#of(lane.index, 'processCpu'), from, to) || 0),
      all: (from, to) => cores(anywhere('hostCpuBusy'), from, to),
      sharedSpace: anywhere('sharedSpace').at(-1)?.value ?? Number.NaN,
      memoryAvailable: best(anywhere('hostMemoryAvailable'), Math.min),
      memoryLeft: anywhere('hostMemoryAvailable').at(-1)?.value ?? Number.NaN,
    };
  }
}

/** Difference of samples taken at the same moments; 0 is subtracted where there is none. */
function difference(samples: readonly Sample[], less: readonly Sample[]): Sample[] {
  const at = new Map(less.map(sample => [sample.at, sample.value]));
  return samples.map(sample => ({ at: sample.at, value: sample.value - (at.get(sample.at) ?? 0) }));
}

const best = ([first, ...others]: readonly Sample[], of: (a: number, b: number) => number): number =>
  others.reduce((so, { value }) => of(so, value), first?.value ?? Number.NaN);

/** A total at a moment, interpolated linearly; constant beyond the samples. NaN without samples. */
function valueAt(samples: readonly Sample[], at: number): number {
  const after = samples.find(sample => sample.at >= at);
  const before = samples.findLast(sample => sample.at <= at);
  if (after === undefined || before === undefined || after.at === before.at)
    return (before ?? after)?.value ?? Number.NaN;
  return before.value + ((after.value - before.value) * (at - before.at)) / (after.at - before.at);
}
