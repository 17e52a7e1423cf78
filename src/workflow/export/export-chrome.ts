import { VenturiError } from '../../model/errors.ts';
import type { Warning } from '../../model/warnings.ts';
import { chromeEvents } from '../../report/chrome/chrome-event.ts';
import { TraceClock } from '../../report/chrome/moment.ts';
import { stepEvents } from '../../report/chrome/step-events.ts';
import { RunEvents } from '../../report/trace/run-events.ts';
import { foldRecords } from '../../store/fold.ts';
import type { Run } from '../../store/run-reader.ts';
import type { Exporter } from './exporter.ts';
import { mergedTrace, openProfilerTrace, type ProfilerTrace } from './profiler-trace.ts';
import { WallClockFold } from './wall-clock.ts';

const HOUR = 3_600_000_000_000n;

/** A run as a Chrome trace, alone or put into another. */
export const chromeExporter: Exporter = {
  async run(run, { out, files, fine = false, merge }) {
    const warnings: Warning[] = [];
    const trace = merge === undefined ? undefined : await openProfilerTrace(merge);
    const clock = trace === undefined ? new TraceClock() : new TraceClock(await offsetTo(run, trace, warnings));
    const events = () => eventsOf(run, fine, clock);
    await files.write(out, trace === undefined ? whole(events()) : mergedTrace(trace, events));
    return { leftOut: [...(fine ? [] : [SINGLE_ELEMENTS]), COUNTERS], warnings };
  },
  async steps({ trace }, { out, files }) {
    await files.write(out, whole(stepEvents(trace)));
    return { leftOut: [] };
  },
  takes: ['fine', 'merge'],
};

export const SINGLE_ELEMENTS = 'operators on single elements: --fine has them';
const COUNTERS = 'counters over time: --to perfetto, csv or parquet has them';

async function* eventsOf(run: Run, fine: boolean, clock: TraceClock): AsyncGenerator<string, void, undefined> {
  const trace = new RunEvents({ fine });
  const records = run.records();
  for (const block of records.blocks()) {
    for (const event of trace.block(block, records.subjects)) yield* chromeEvents(event, clock);
  }
}

async function* whole(events: AsyncIterable<string> | Iterable<string>): AsyncGenerator<string, void, undefined> {
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
