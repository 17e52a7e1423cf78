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
    const cursor = this.#cursor(samples);
    const process = this.#process(pid);
    this.#current = process;
    const join = this.#join;
    const feed = (end: number): void => {
      for (let next = cursor.peek(); next !== undefined && next.time < end; next = cursor.peek()) {
        cursor.take();
        join.sample(next.time, next.symbol, next.event, next.weight);
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
    const cursor = this.#cursor(samples);
    const process = this.#process(pid);
    for (let next = cursor.peek(); next !== undefined; next = cursor.peek()) {
      cursor.take();
      if (next.event === 0) process.hits++;
      this.tables.add({ reason }, next.symbol, next.event, next.weight);
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

  #cursor(samples: RecordStream): SampleCursor {
    return new SampleCursor(samples, {
      learn: key => this.#learn(key),
      /** Says whether it counts; one that no clock of this run can have taken is counted here. */
      accept: ({ time, symbol, event, weight }) => {
        const { from = Number.NEGATIVE_INFINITY, to = Number.POSITIVE_INFINITY, durationNs } = this.#options;
        if (time < -CLOCK_SLACK || time > durationNs + CLOCK_SLACK) {
          this.tables.add({ reason: 'clock' }, symbol, event, weight);
          return false;
        }
        return time >= from && time < to;
      },
    });
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

interface TakenSample {
  time: number;
  symbol: number;
  event: number;
  weight: number;
}

interface SampleRules {
  /** The number of a symbol in all streams together. */
  learn(key: string): number;
  accept(sample: TakenSample): boolean;
}

/** One sample after the other out of blocks of them. */
class SampleCursor {
  readonly #source: RecordStream;
  readonly #rules: SampleRules;
  readonly #blocks: Iterator<RecordBlock>;
  readonly #numbers: number[] = [];
  readonly #next: TakenSample = { time: 0, symbol: 0, event: 0, weight: 0 };
  #block: RecordBlock | undefined;
  #row = 0;
  #has = false;

  constructor(source: RecordStream, rules: SampleRules) {
    this.#source = source;
    this.#rules = rules;
    this.#blocks = source.blocks()[Symbol.iterator]();
  }

  peek(): Readonly<TakenSample> | undefined {
    while (!this.#has) {
      if (this.#block === undefined || this.#row >= this.#block.count) {
        const { done, value } = this.#blocks.next();
        if (done === true) return undefined;
        this.#block = value;
        this.#row = 0;
        const { subjects } = this.#source;
        for (let n = this.#numbers.length; n < subjects.length; n++)
          this.#numbers.push(this.#rules.learn(subjects[n] ?? ''));
      }
      this.#has = this.#read(this.#block, this.#row++);
    }
    return this.#next;
  }

  take(): void {
    this.#has = false;
  }

  #read(block: RecordBlock, row: number): boolean {
    if (row >= block.count || block.kind[row] !== RECORD_KIND.sample) return false;
    this.#next.time = block.start[row] ?? 0;
    this.#next.symbol = this.#numbers[block.subject[row] ?? -1] ?? -1;
    this.#next.event = block.flags[row] ?? 0;
    this.#next.weight = block.duration[row] ?? 0;
    return this.#rules.accept(this.#next);
  }
}
