import { RECORD_KIND } from '../../model/record.ts';
import type { LaneInfo, RecordBlock } from '../../model/span.ts';
import { microseconds, TraceClock } from './moment.ts';
import { type Track, Tracks, text } from './tracks.ts';

export interface ChromeOptions {
  /** Operators on every element too, not only batches. */
  readonly fine: boolean;
  readonly clock?: TraceClock;
}

/** How spans of a subject appear in a trace: their name, the part of a lane's track, and the level of detail. */
interface Meaning {
  readonly name: string;
  readonly part: string | undefined;
  readonly level: 'batch' | 'operator';
  readonly role: 'prepare' | 'consume' | 'dispatch' | undefined;
}

const CONSUMER = ['begin', 'wait', 'consume', 'pin', 'pass', 'arrive', 'dispatch'] as const;
const PREPARING = ['prepare', 'put'] as const;

/**
 * A run as events of Chrome's trace format, which Perfetto reads too: spans, and arrows from the preparation of a batch to its
 * use. It streams text: memory is proportional to the batches in flight, not to the length of the run.
 */
export class ChromeTrace {
  readonly #options: ChromeOptions;
  readonly #clock: TraceClock;
  readonly #tracks = new Tracks();
  readonly #meanings: (Meaning | undefined)[] = [];
  /** Batches in flight, by consumer and number: the process and task that prepare them. */
  readonly #underWay = new Map<string, string>();
  #dispatched: string | undefined;

  constructor(options: ChromeOptions) {
    this.#options = options;
    this.#clock = options.clock ?? new TraceClock();
  }

  /** The events of a block, each the text of a JSON object. */
  block(block: RecordBlock, subjects: readonly string[]): string[] {
    for (let n = this.#meanings.length; n < subjects.length; n++) this.#meanings.push(meaningOf(subjects[n] ?? ''));
    const events: string[] = [];
    const { lane, count, kind, subject, sequence, start, duration } = block;
    for (let row = 0; row < count; row++) {
      const from = start[row] ?? 0;
      const long = duration[row] ?? 0;
      if (kind[row] === RECORD_KIND.task) this.#order(from, long);
      if (kind[row] !== RECORD_KIND.span && kind[row] !== RECORD_KIND.inner) continue;
      const meaning = this.#meanings[subject[row] ?? -1];
      if (meaning === undefined) continue;
      const number = sequence[row] ?? 0;
      if (meaning.role === 'dispatch') this.#dispatched = `${lane.pid}/${number}`;
      if (meaning.level === 'operator' && !this.#options.fine) continue;
      const track = this.#tracks.of(lane, meaning.part, event => events.push(event));
      events.push(
        `{"ph":"X","cat":"venturi","name":${text(meaning.name)},"pid":${track.pid},"tid":${track.tid},` +
          `"ts":${this.#clock.at(from)},"dur":${microseconds(long)},"args":{"batch":${number}}}`,
      );
      const arrow = this.#arrow(meaning, lane, number, track, from, long);
      if (arrow !== undefined) events.push(arrow);
    }
    return events;
  }

  #order(packed: number, preparer: number): void {
    if (this.#dispatched === undefined) return;
    this.#underWay.set(this.#dispatched, arrowId(preparer, packed % 2 ** 32));
    this.#dispatched = undefined;
  }

  /** An arrow (flow event) from the end of a preparation to the beginning of the use. */
  #arrow(
    { role }: Meaning,
    lane: LaneInfo,
    number: number,
    { pid, tid }: Track,
    start: number,
    duration: number,
  ): string | undefined {
    if (role === 'prepare') {
      // A moment before the end, so that it lies in the span.
      const at = this.#clock.at(start + Math.max(0, duration - 1));
      return `{"ph":"s","cat":"venturi","name":"batch","id":"${arrowId(lane.pid, number)}","pid":${pid},"tid":${tid},"ts":${at}}`;
    }
    if (role !== 'consume') return undefined;
    const key = `${lane.pid}/${number}`;
    const id = this.#underWay.get(key);
    this.#underWay.delete(key);
    if (id === undefined) return undefined;
    return (
      `{"ph":"f","bp":"e","cat":"venturi","name":"batch","id":"${id}",` +
      `"pid":${pid},"tid":${tid},"ts":${this.#clock.at(start)}}`
    );
  }
}

const arrowId = (pid: number, task: number): string => `venturi-${pid}-${task}`;

function meaningOf(key: string): Meaning | undefined {
  const preparing = PREPARING.find(word => word === key);
  if (preparing !== undefined) {
    const role = preparing === 'prepare' ? preparing : undefined;
    return { name: preparing, part: 'preparation', level: 'batch', role };
  }
  const colon = key.indexOf(':');
  if (colon < 0) return undefined;
  const [space, name] = [key.slice(0, colon), key.slice(colon + 1)];
  if (space === 'operator') return { name, part: 'preparation', level: 'operator', role: undefined };
  if (space === 'phase') return { name, part: 'steps that were watched', level: 'batch', role: undefined };
  if (space === 'stage') return { name, part: undefined, level: 'batch', role: undefined };
  const phase = CONSUMER.find(word => word === space);
  if (phase === undefined) return undefined;
  const role = phase === 'consume' || phase === 'dispatch' ? phase : undefined;
  // Orders and arrivals lie across waits and steps.
  const isAside = phase === 'dispatch' || phase === 'arrive';
  return { name: phase, part: isAside ? `${name}, orders` : name, level: isAside ? 'operator' : 'batch', role };
}
