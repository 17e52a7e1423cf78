import type { LaneInfo } from '../../model/span.ts';
import { plainText } from '../plain-text.ts';

/**
 * Processes and threads of Linux stay below 2^22 and other profilers number devices from 0: from here on numbers are ours
 * alone, so that a trace of the same processes can be put beside it.
 */
const FIRST_ID = 2 ** 30;

export interface Track {
  readonly pid: number;
  readonly tid: number;
}

/** A track per lane and per activity in it. Spans of one track nest or are disjoint, as the trace format demands. */
export class Tracks {
  readonly #tracks = new Map<string, Track>();
  readonly #processes = new Map<number, number>();
  #next = FIRST_ID;

  /** The track; `announce` gets the events that name it, the first time. */
  of(lane: LaneInfo, part: string | undefined, announce: (event: string) => void): Track {
    const key = `${lane.index}/${part ?? ''}`;
    const known = this.#tracks.get(key);
    if (known !== undefined) return known;
    let pid = this.#processes.get(lane.pid);
    if (pid === undefined) {
      pid = this.#next++;
      this.#processes.set(lane.pid, pid);
      announce(named('process_name', pid, 0, `venturi · process ${lane.pid}`));
      announce(metadata('process_sort_index', pid, 0, `"sort_index":${this.#processes.size}`));
    }
    const track = { pid, tid: this.#next++ };
    this.#tracks.set(key, track);
    const title = part === undefined ? lane.name : `${lane.name} · ${part}`;
    announce(named('thread_name', track.pid, track.tid, title));
    announce(metadata('thread_sort_index', track.pid, track.tid, `"sort_index":${this.#tracks.size}`));
    return track;
  }
}

const named = (kind: string, pid: number, tid: number, name: string): string =>
  metadata(kind, pid, tid, `"name":${text(name)}`);

const metadata = (kind: string, pid: number, tid: number, args: string): string =>
  `{"ph":"M","name":"${kind}","pid":${pid},"tid":${tid},"args":{${args}}}`;

/** A foreign text as JSON that a page can only show. */
export const text = (value: string): string => JSON.stringify(plainText(value));
