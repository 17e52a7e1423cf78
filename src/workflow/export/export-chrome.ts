import { AtomicFile } from '../../files/atomic-file.ts';
import { VenturiError } from '../../model/errors.ts';
import type { Warning } from '../../model/warnings.ts';
import { ChromeTrace } from '../../report/chrome/chrome-trace.ts';
import { TraceClock } from '../../report/chrome/moment.ts';
import { foldRecords } from '../../store/fold.ts';
import type { Run } from '../../store/run-reader.ts';
import { mergedTrace, openProfilerTrace, type ProfilerTrace } from './profiler-trace.ts';
import { unwritableExport } from './unwritable.ts';
import { WallClockFold } from './wall-clock.ts';

export interface ChromeExport {
  /** Operators on every element too, not only batches. */
  readonly fine?: boolean | undefined;
  /** A trace of the PyTorch profiler to put it beside. */
  readonly merge?: string | undefined;
}

const HOUR = 3_600_000_000_000n;

/** Writes a run as a Chrome trace; gives what there is to say about it. */
export async function exportChrome(run: Run, path: string, { fine = false, merge }: ChromeExport): Promise<Warning[]> {
  const warnings: Warning[] = [];
  const trace = merge === undefined ? undefined : await openProfilerTrace(merge);
  const clock = trace === undefined ? new TraceClock() : new TraceClock(await offsetTo(run, trace, warnings));
  const events = () => chromeEvents(run, new ChromeTrace({ fine, clock }));
  await writeText(path, trace === undefined ? whole(events()) : mergedTrace(trace, events));
  return warnings;
}

async function* chromeEvents(run: Run, trace: ChromeTrace): AsyncGenerator<string, void, undefined> {
  const records = run.records();
  for (const block of records.blocks()) yield* trace.block(block, records.subjects);
}

async function* whole(events: AsyncIterable<string>): AsyncGenerator<string, void, undefined> {
  yield '{"displayTimeUnit":"ms","traceEvents":[';
  let isFirst = true;
  for await (const event of events) {
    yield isFirst ? `\n${event}` : `,\n${event}`;
    isFirst = false;
  }
  yield '\n]}\n';
}

/** What the profiler's clock showed when the run began. */
async function offsetTo(run: Run, { baseNs, firstNs }: ProfilerTrace, warnings: Warning[]): Promise<bigint> {
  const fold = new WallClockFold();
  await foldRecords(run.records(), [fold]);
  const start = fold.startOf(run.manifest);
  if (start === undefined) {
    throw new VenturiError(
      'VENTURI_RUN_UNREADABLE',
      `The run ${run.folder} does not say what time it was recorded at.`,
      {
        remedy: 'Export it by itself, without --merge.',
      },
    );
  }
  if (firstNs !== undefined && (firstNs < start - HOUR || firstNs > start + 24n * HOUR)) {
    warnings.push({
      code: 'VENTURI_WARN_TRACES_APART',
      message: 'The two were not recorded at the same time, or not on the same machine: they lie far apart.',
    });
  }
  return start - baseNs;
}

/** Pieces gather to about this much before they are written. */
const PIECE = 1 << 18;

export async function writeText(
  path: string,
  pieces: AsyncIterable<Buffer | string> | Iterable<Buffer | string>,
): Promise<void> {
  let file: AtomicFile | undefined;
  let gathered = '';
  try {
    file = new AtomicFile(path, { durable: false });
    for await (const piece of pieces) {
      if (typeof piece === 'string') gathered += piece;
      else {
        file.write(gathered);
        gathered = '';
        file.write(piece);
      }
      if (gathered.length < PIECE) continue;
      file.write(gathered);
      gathered = '';
    }
    file.write(gathered);
    file.commit();
  } catch (error) {
    file?.abandon();
    throw unwritableExport(path, error);
  }
}
