import type { LaneInfo } from '../../model/span.ts';
import type { TraceEvent, Track } from './trace-event.ts';

/**
 * Processes and threads of Linux stay below 2^22 and other profilers number devices from 0: from here on numbers are ours
 * alone, so that a trace of the same processes can be put beside it.
 */
const FIRST_ID = 2 ** 30;

/** A track per lane and per activity in it. Spans of one track nest or are disjoint, as trace formats demand. */
export class Tracks {
  readonly #tracks = new Map<string, Track>();
  readonly #processes = new Map<number, number>();
  #next = FIRST_ID;

  /** The track; `announce` gets the events that name it, the first time. */
  of(lane: LaneInfo, part: string | undefined, announce: (event: TraceEvent) => void, unit?: string): Track {
    const key = `${lane.index}/${part ?? ''}`;
    const known = this.#tracks.get(key);
    if (known !== undefined) return known;
    let pid = this.#processes.get(lane.pid);
    if (pid === undefined) {
      pid = this.#next++;
      this.#processes.set(lane.pid, pid);
      announce({ type: 'process', pid, name: `venturi · process ${lane.pid}`, order: this.#processes.size });
    }
    const track = { pid, tid: this.#next++ };
    this.#tracks.set(key, track);
    const name = part === undefined ? lane.name : `${lane.name} · ${part}`;
    announce({ type: 'track', track, name, order: this.#tracks.size, ...(unit !== undefined && { unit }) });
    return track;
  }
}
