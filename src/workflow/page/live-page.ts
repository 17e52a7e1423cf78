import type { RunManifest } from '../../model/run.ts';
import type { PageDocument, SectionOf } from '../../report/page/document.ts';
import { type LiveNews, newsBetween } from '../../report/page/live-news.ts';
import type { LiveRun } from '../../report/results/live-run.ts';
import { liveRunReport } from '../../report/views/live-run.ts';
import { type FollowEnd, RunFollower } from '../../store/run-follower.ts';
import { openRun, type Run } from '../../store/run-reader.ts';
import { refuseLargeGraph } from '../graph-limit.ts';
import { headingOf } from '../run-heading.ts';
import { targetOf } from '../targets/registry.ts';
import type { LiveFold } from '../targets/target.ts';
import { documentOf } from './run-page.ts';

/** Least time between two looks at the files of a run. */
const REST_MS = 1000;

/** The page of a run while it is recorded. Each record is read once. */
export class LivePage {
  readonly #run: Run;
  readonly #origin: bigint;
  readonly #follower: RunFollower;
  readonly #fold: LiveFold;
  /** When something was read last, on the clock of the lanes. */
  #heard: bigint;
  /** Whoever recorded it is gone without ending it. */
  #isAbandoned = false;
  /** What open pages were told last. */
  #told: { readonly count: number; readonly last: LiveRun | undefined } = { count: 0, last: undefined };

  constructor(path: string) {
    this.#run = openRun(path);
    const { folder, manifest } = this.#run;
    this.#origin = BigInt(manifest.start);
    this.#heard = this.#origin;
    this.#follower = new RunFollower(folder, this.#origin);
    this.#fold = targetOf(manifest).live();
  }

  /** Reads what is written until the run has ended, or `signal` says so. */
  async follow(signal: AbortSignal): Promise<FollowEnd> {
    const news = this.#follower.follow({ signal, restMs: REST_MS });
    for (;;) {
      const next = await news.next();
      if (next.done === true) {
        this.#isAbandoned = next.value === 'abandoned';
        return next.value;
      }
      this.#heard = process.hrtime.bigint();
      this.#fold.block(next.value, this.#follower.subjects);
    }
  }

  /** Reads what was written since the last look. */
  look(): void {
    for (const block of this.#follower.blocks()) this.#fold.block(block, this.#follower.subjects);
  }

  /** Goes on with the history where nobody looks. */
  advance(): void {
    this.#fold.advance(this.#manifest());
  }

  /** As it stands now. */
  section(): SectionOf<'live'> {
    return sectionOf(this.#now());
  }

  /** What is new since the call before; the whole section where that cannot be told alone. */
  news(): LiveNews | SectionOf<'live'> {
    const now = this.#now(this.#told.count + 1);
    const news = newsBetween(this.#told.last, now);
    this.#told = { count: now.told, last: now };
    return news ?? sectionOf(now);
  }

  document(): PageDocument {
    const { name, redacted } = this.#run.manifest;
    return documentOf(name, [this.section()], redacted);
  }

  #manifest(): RunManifest {
    const manifest = this.#follower.manifest() ?? this.#run.manifest;
    refuseLargeGraph(manifest, 'page');
    return manifest;
  }

  #now(told = this.#told.count): LiveRun {
    const manifest = this.#manifest();
    const { outcome } = manifest;
    const going = this.#isAbandoned ? this.#heard : process.hrtime.bigint();
    const now = Number((outcome === undefined ? going : BigInt(outcome.monotonic)) - this.#origin);
    const heading = headingOf({ ...this.#run, manifest, complete: outcome !== undefined });
    return {
      ...heading,
      status: outcome?.status ?? (this.#isAbandoned ? 'incomplete' : 'running'),
      seconds: now / 1e9,
      told,
      ...this.#fold.result(manifest, now),
    };
  }
}

const sectionOf = (data: LiveRun): SectionOf<'live'> => ({
  kind: 'live',
  id: 'live',
  title: 'Now',
  blocks: liveRunReport(data),
  data,
});
