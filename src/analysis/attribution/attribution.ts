import { entryOf } from '../../math/groups.ts';
import { RECORD_KIND } from '../../model/record.ts';
import { parseSampleFact, type SampleFact } from '../../model/samples.ts';
import type { RecordBlock } from '../../model/span.ts';
import { Numbering } from './numbering.ts';
import { SampleTables } from './sample-tables.ts';
import { type Reason, SpanMeanings } from './span-meaning.ts';
import { type Owner, ThreadJoin } from './thread-join.ts';

/** A stream of records that is read on demand: the join advances in two of them by turns. */
export interface RecordStream {
  readonly subjects: readonly string[];
  blocks(): Iterable<RecordBlock>;
}

export interface AttributionOptions {
  /** Duration of the run, ns. Samples far outside it were taken by another clock. */
  readonly durationNs: number;
  /** Moments of the run, ns since its start, between which samples count. */
  readonly from?: number | undefined;
  readonly to?: number | undefined;
}

/** ns that a profiler may begin before a recording or end after it. A clock offset below this goes unnoticed. */
const CLOCK_SLACK = 60e9;
const PREPARATION: Owner = { reason: 'betweenOperators' };
const UNTIMED: Owner = { reason: 'untimed' };

/** Hits in the processes that prepare batches for another one, and how many of them operators have. */
export interface WorkerHits {
  readonly hits: number;
  readonly inOperators: number;
}

interface ProcessHits {
  hits: number;
  inOperators: number;
  isWorker: boolean;
}

interface TakenSample {
  readonly time: number;
  /** Its number in all streams together. */
  readonly symbol: number;
  readonly event: number;
  readonly weight: number;
}

const noHits = (): ProcessHits => ({ hits: 0, inOperators: 0, isWorker: false });

/**
 * Joins samples with spans, thread by thread: a sample belongs to the innermost span that was open in its thread at its time.
 * Nothing is guessed; what has no such span is counted by the reason why.
 */
export class SampleAttribution {
  readonly #options: AttributionOptions;
  readonly #symbols = new Numbering<string>();
  readonly #processes = new Map<number, ProcessHits>();
  readonly #join = new ThreadJoin({
    add: (owner, symbol, event, weight) => {
      if (event === 0) {
        this.#current.hits++;
        if ('operator' in owner) this.#current.inOperators++;
      }
      this.tables.add(owner, symbol, event, weight);
    },
  });
  #current = noHits();
  #fact: SampleFact | undefined;
  #tables: SampleTables | undefined;

  constructor(options: AttributionOptions) {
    this.#options = options;
  }

  /** Keys of symbols, by the numbers in the tables. */
  get symbols(): readonly string[] {
    return this.#symbols.list;
  }

  get fact(): SampleFact | undefined {
    return this.#fact;
  }

  get tables(): SampleTables {
    this.#tables ??= new SampleTables(this.#fact?.events.length ?? 1);
    return this.#tables;
  }

  /** The samples of a thread that wrote `spans`. */
  thread(pid: number, spans: RecordStream, samples: RecordStream): void {
    const process = this.#process(pid);
    this.#current = process;
    const join = this.#join;
    const taken = this.#taken(samples);
    let next = taken.next();
    const feed = (end: number): void => {
      for (; next.done !== true && next.value.time < end; next = taken.next()) {
        const { time, symbol, event, weight } = next.value;
        join.sample(time, symbol, event, weight);
      }
    };
    const meanings = new SpanMeanings();
    let isCut = true;
    let timedTask = -1;
    for (const block of spans.blocks()) {
      const { count, kind, subject, sequence, start, duration } = block;
      for (let row = 0; row < count; row++) {
        const what = kind[row];
        if (what === RECORD_KIND.end) isCut = false;
        if (what !== RECORD_KIND.span && what !== RECORD_KIND.inner) continue;
        const meaning = meanings.of(subject[row] ?? -1, spans.subjects);
        if (meaning.type === 'none') continue;
        isCut = true;
        const task = sequence[row] ?? 0;
        if (meaning.type === 'operator' && !meaning.isCollation) timedTask = task;
        if (meaning.type === 'reason' && meaning.reason === 'idle') process.isWorker = true;
        const from = start[row] ?? 0;
        const end = from + (duration[row] ?? 0);
        join.span(ownerOf(meaning, task === timedTask), from, end);
        feed(end);
      }
    }
    feed(Number.POSITIVE_INFINITY);
    join.finish(isCut);
  }

  /** Samples of threads without spans of their own. */
  strangers(pid: number, reason: Reason, samples: RecordStream): void {
    const process = this.#process(pid);
    for (const { symbol, event, weight } of this.#taken(samples)) {
      if (event === 0) process.hits++;
      this.tables.add({ reason }, symbol, event, weight);
    }
  }

  /** Of the processes that only prepare. */
  workers(): WorkerHits {
    let [hits, inOperators] = [0, 0];
    for (const process of this.#processes.values()) {
      if (!process.isWorker) continue;
      hits += process.hits;
      inOperators += process.inOperators;
    }
    return { hits, inOperators };
  }

  #process(pid: number): ProcessHits {
    return entryOf(this.#processes, pid, noHits);
  }

  /** Samples of a stream that count. Those that no clock of this run can have taken are counted as such. */
  *#taken(samples: RecordStream): Generator<TakenSample, undefined> {
    const { from = Number.NEGATIVE_INFINITY, to = Number.POSITIVE_INFINITY, durationNs } = this.#options;
    const symbols: number[] = [];
    for (const { count, kind, subject, flags, start, duration } of samples.blocks()) {
      for (const key of samples.subjects.slice(symbols.length)) symbols.push(this.#learn(key));
      for (let row = 0; row < count; row++) {
        if (kind[row] !== RECORD_KIND.sample) continue;
        const time = start[row] ?? 0;
        const symbol = symbols[subject[row] ?? -1] ?? -1;
        const [event, weight] = [flags[row] ?? 0, duration[row] ?? 0];
        const isOutside = time < -CLOCK_SLACK || time > durationNs + CLOCK_SLACK;
        if (isOutside) this.tables.add({ reason: 'clock' }, symbol, event, weight);
        else if (time >= from && time < to) yield { time, symbol, event, weight };
      }
    }
  }

  #learn(key: string): number {
    if (key.startsWith('facts:')) {
      this.#fact ??= parseSampleFact(key.slice('facts:'.length));
      return -1;
    }
    return this.#symbols.of(key, key);
  }
}

function ownerOf(meaning: Exclude<ReturnType<SpanMeanings['of']>, { type: 'none' }>, isTimed: boolean): Owner {
  switch (meaning.type) {
    case 'operator':
      return { operator: meaning.operator };
    case 'preparation':
      return isTimed ? PREPARATION : UNTIMED;
    case 'reason':
      return { reason: meaning.reason };
  }
}
