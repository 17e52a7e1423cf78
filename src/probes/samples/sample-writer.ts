import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { subject } from '../../model/record.ts';
import type { LaneInfo } from '../../model/span.ts';
import { type LaneWriter, openLane } from '../../store/lane-writer.ts';
import { type Sample, withoutModifier } from './sample.ts';

/** Limit of open files; the one written to longest ago is closed for a new one. */
const MOST_OPEN = 64;
const OTHER_EVENT = 255;

interface OpenThread {
  readonly lane: LaneWriter;
  last: number;
}

export interface SampleSource {
  readonly profiler: string;
  readonly events: readonly string[];
  readonly frequency: number;
}

/**
 * Writes samples into a run's `samples` folder, a lane for every thread that has one of its own in the run; other threads of
 * its processes share one, and so do other processes. Memory does not grow with their number.
 */
export class SampleWriter {
  readonly #folder: string;
  readonly #source: SampleSource;
  readonly #threads: ReadonlySet<string>;
  readonly #processes: ReadonlySet<number>;
  readonly #open = new Map<string, OpenThread>();
  readonly #warnings = new Set<string>();
  #samples = 0;
  #lost = 0;

  /** `lanes`: those of the run whose threads are looked for. */
  constructor(folder: string, lanes: readonly LaneInfo[], source: SampleSource) {
    this.#folder = folder;
    this.#source = source;
    this.#threads = new Set(lanes.map(({ pid, tid }) => `${pid}/${tid}`));
    this.#processes = new Set(lanes.map(({ pid }) => pid));
    mkdirSync(join(folder, 'samples'), { recursive: true });
  }

  get samples(): number {
    return this.#samples;
  }

  add(sample: Sample): void {
    const own = this.#threads.has(`${sample.pid}/${sample.tid}`);
    const pid = this.#processes.has(sample.pid) ? sample.pid : 0;
    const lane = this.#lane(pid, own ? sample.tid : 0, sample.time);
    const number = lane.subjectNumber(subject.symbol(sample.symbol, sample.module));
    lane.sample(number, sample.tid, sample.time, sample.weight, this.#eventNumber(sample.event));
    this.#samples++;
  }

  /** Samples the kernel had no room for. */
  lose(count: number): void {
    this.#lost += count;
  }

  /** Gives what went wrong, in sentences. */
  close(): string[] {
    for (const { lane, last } of this.#open.values()) this.#closeLane(lane, last);
    this.#open.clear();
    if (this.#lost > 0)
      this.#warnings.add(
        `perf lost ${this.#lost} ${this.#lost === 1 ? 'sample' : 'samples'}: the machine was too busy to take them.`,
      );
    return [...this.#warnings];
  }

  #lane(pid: number, tid: number, time: number): LaneWriter {
    const key = `${pid}/${tid}`;
    const known = this.#open.get(key);
    if (known !== undefined) {
      known.last = time;
      return known.lane;
    }
    if (this.#open.size >= MOST_OPEN) this.#closeQuietest();
    const lane = openLane(this.#folder, {
      name: tid !== 0 ? `thread ${tid}` : pid !== 0 ? `other threads of ${pid}` : 'other processes',
      pid,
      tid,
      opened: BigInt(Math.round(time)),
      within: 'samples',
    });
    lane.subjectNumber(subject.facts(JSON.stringify({ samples: this.#source })));
    this.#open.set(key, { lane, last: time });
    return lane;
  }

  #closeQuietest(): void {
    const [key, thread] = [...this.#open].reduce((quietest, entry) =>
      entry[1].last < quietest[1].last ? entry : quietest,
    );
    this.#closeLane(thread.lane, thread.last);
    this.#open.delete(key);
  }

  #closeLane(lane: LaneWriter, last: number): void {
    lane.close(last);
    for (const warning of lane.warnings) this.#warnings.add(warning);
  }

  #eventNumber(event: string): number {
    const { events } = this.#source;
    const exact = events.indexOf(event);
    const found = exact >= 0 ? exact : events.indexOf(withoutModifier(event));
    return found >= 0 && found < OTHER_EVENT ? found : OTHER_EVENT;
  }
}
