import { entryOf } from '../../math/groups.ts';
import { RECORD_KIND } from '../../model/record.ts';
import type { LaneInfo, RecordBlock } from '../../model/span.ts';
import { BatchFold, roleOf } from './fold.ts';
import { LoaderNames } from './loader-names.ts';
import { type LoaderSummary, summariseBatches } from './summary.ts';
import type { Bound } from './verdict.ts';

interface Row {
  readonly kind: number;
  readonly flags: number;
  readonly subject: number;
  readonly sequence: number;
  readonly start: number;
  readonly duration: number;
  /** Moment of the record, ns since the run's start; of a continuation, that of its span. */
  readonly at: number;
}

/** Throughput of the loader that was asked last, over the last seconds. */
export interface RecentLoader {
  readonly loader: string;
  /** Since the run began. */
  readonly batches: number;
  readonly batchesPerSecond: number;
  readonly waitShare: number;
  readonly bound: Bound;
}

const WINDOW_NS = 15e9;
const CONTINUATIONS: ReadonlySet<number> = new Set([
  RECORD_KIND.cpu,
  RECORD_KIND.bytes,
  RECORD_KIND.elements,
  RECORD_KIND.task,
]);

/** The batches of the last seconds, of a run that goes on. What operators do to elements is not kept. */
export class RecentBatches {
  readonly #lanes = new Map<number, { readonly lane: LaneInfo; rows: Row[] }>();
  readonly #kept: boolean[] = [];
  /** By loader, batches that were handed out; those asked for last stand last. */
  readonly #counts = new Map<string, number>();
  readonly #names = new LoaderNames();
  #subjects: readonly string[] = [];

  block(block: RecordBlock, subjects: readonly string[]): void {
    this.#subjects = subjects;
    this.#names.learnFrom(subjects);
    const { lane, count, kind, flags, subject, sequence, start, duration } = block;
    const kept = entryOf(this.#lanes, lane.index, () => ({ lane, rows: [] }));
    let at = kept.rows.at(-1)?.at ?? 0;
    for (let row = 0; row < count; row++) {
      const number = subject[row] ?? -1;
      if (!this.#isKept(number)) continue;
      const from = start[row] ?? 0;
      const long = duration[row] ?? 0;
      if (kind[row] === RECORD_KIND.span) {
        at = from + long;
        this.#count(subjects[number] ?? '', lane.pid);
      } else if (!CONTINUATIONS.has(kind[row] ?? 0)) continue;
      kept.rows.push({
        kind: kind[row] ?? 0,
        flags: flags[row] ?? 0,
        subject: number,
        sequence: sequence[row] ?? 0,
        start: from,
        duration: long,
        at,
      });
    }
  }

  #isKept(number: number): boolean {
    const known = this.#kept[number];
    if (known !== undefined) return known;
    const { type } = roleOf(this.#subjects[number] ?? '');
    const isKept = type !== 'other' && type !== 'operator' && type !== 'element' && type !== 'ahead';
    this.#kept[number] = isKept;
    return isKept;
  }

  #count(key: string, consumer: number): void {
    const role = roleOf(key);
    if (role.type !== 'wait') return;
    const loader = this.#names.of(consumer, role.loader);
    const before = this.#counts.get(loader) ?? 0;
    this.#counts.delete(loader);
    this.#counts.set(loader, before + 1);
  }

  /** As of a moment, ns since the run's start; undefined before the first batch. */
  now(moment: number, coresUsable: number): RecentLoader | undefined {
    const since = Math.max(0, moment - WINDOW_NS);
    for (const kept of this.#lanes.values()) kept.rows = kept.rows.filter(({ at }) => at >= since);
    const [loader, batches] = [...this.#counts].at(-1) ?? [];
    if (loader === undefined || batches === undefined) return undefined;
    const summary = this.#summaryOf(loader, coresUsable);
    const began = Math.max(since, summary?.passes[0]?.start ?? since);
    return {
      loader,
      batches,
      batchesPerSecond: (summary?.batches ?? 0) / Math.max(1e-3, (moment - began) / 1e9),
      waitShare: summary?.verdict.waitShare ?? 0,
      bound: summary?.verdict.bound ?? 'unclear',
    };
  }

  #summaryOf(loader: string, coresUsable: number): LoaderSummary | undefined {
    const fold = new BatchFold();
    const lanes = [...this.#lanes.values()].sort((a, b) => a.lane.opened - b.lane.opened);
    for (const { lane, rows } of lanes) {
      if (rows.length === 0) continue;
      const block: RecordBlock = {
        lane,
        count: rows.length,
        kind: Uint8Array.from(rows, row => row.kind),
        flags: Uint8Array.from(rows, row => row.flags),
        subject: Int32Array.from(rows, row => row.subject),
        sequence: Uint32Array.from(rows, row => row.sequence),
        start: Float64Array.from(rows, row => row.start),
        duration: Float64Array.from(rows, row => row.duration),
      };
      fold.block(block, this.#subjects);
    }
    return summariseBatches(fold.result(), coresUsable).loaders.find(({ name }) => name === loader);
  }
}
