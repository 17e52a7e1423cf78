import { METRICS, metricOf } from '../../model/metric.ts';
import { RECORD_KIND } from '../../model/record.ts';
import type { LaneInfo, RecordBlock } from '../../model/span.ts';
import type { Arrow, TraceEvent } from './trace-event.ts';
import { Tracks } from './tracks.ts';

export interface RunEventsOptions {
  /** Operators on every element too, not only batches. */
  readonly fine: boolean;
  /** Counters over time too. */
  readonly counters?: boolean;
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
 * A run as events for viewers of traces: spans, arrows from the preparation of a batch to its use, counters. Block by block: memory is
 * proportional to the batches in flight and the number of tracks, not to the length of the run.
 */
export class RunEvents {
  readonly #options: RunEventsOptions;
  readonly #tracks = new Tracks();
  readonly #meanings: (Meaning | undefined)[] = [];
  /** Batches in flight, by consumer and number: the process and task that prepare them. */
  readonly #underWay = new Map<string, Arrow>();
  #dispatched: string | undefined;

  constructor(options: RunEventsOptions) {
    this.#options = options;
  }

  block(block: RecordBlock, subjects: readonly string[]): TraceEvent[] {
    for (let n = this.#meanings.length; n < subjects.length; n++) this.#meanings.push(meaningOf(subjects[n] ?? ''));
    const events: TraceEvent[] = [];
    const { lane, count, kind, subject, sequence, start, duration } = block;
    for (let row = 0; row < count; row++) {
      const from = start[row] ?? 0;
      const long = duration[row] ?? 0;
      if (kind[row] === RECORD_KIND.task) this.#order(from, long);
      if (kind[row] === RECORD_KIND.counter && this.#options.counters === true) {
        this.#counter(block, row, subjects, events);
      }
      if (kind[row] !== RECORD_KIND.span && kind[row] !== RECORD_KIND.inner) continue;
      const meaning = this.#meanings[subject[row] ?? -1];
      if (meaning === undefined) continue;
      const number = sequence[row] ?? 0;
      if (meaning.role === 'dispatch') this.#dispatched = `${lane.pid}/${number}`;
      if (meaning.level === 'operator' && !this.#options.fine) continue;
      const track = this.#tracks.of(lane, meaning.part, event => events.push(event));
      events.push({
        type: 'span',
        track,
        name: meaning.name,
        category: 'venturi',
        start: from,
        duration: long,
        figure: { name: 'batch', value: number },
        leaving: meaning.role === 'prepare' ? { pid: lane.pid, task: number } : undefined,
        arriving: meaning.role === 'consume' ? this.#arrival(lane, number) : undefined,
      });
    }
    return events;
  }

  #counter(
    { lane, flags, subject, start, duration }: RecordBlock,
    row: number,
    subjects: readonly string[],
    events: TraceEvent[],
  ): void {
    const metric = metricOf(flags[row] ?? 0);
    const key = subjects[subject[row] ?? -1];
    if (metric === undefined || key === undefined) return;
    const track = this.#tracks.of(lane, `${key} ${metric}`, event => events.push(event), METRICS[metric].unit);
    events.push({ type: 'counter', track, at: start[row] ?? 0, value: duration[row] ?? 0 });
  }

  #order(packed: number, preparer: number): void {
    if (this.#dispatched === undefined) return;
    this.#underWay.set(this.#dispatched, { pid: preparer, task: packed % 2 ** 32 });
    this.#dispatched = undefined;
  }

  #arrival(lane: LaneInfo, number: number): Arrow | undefined {
    const key = `${lane.pid}/${number}`;
    const arrow = this.#underWay.get(key);
    this.#underWay.delete(key);
    return arrow;
  }
}

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
