import { createHash } from 'node:crypto';
import { NS_PER_SECOND } from '../../model/units.ts';
import type { MetricFamily } from '../../report/metric-family.ts';
import { numberAttribute, type OtlpAttribute, textAttribute } from '../../report/otlp/attributes.ts';
import { otlpMetrics } from '../../report/otlp/otlp-metrics.ts';
import { type OtlpSpan, OtlpSpans } from '../../report/otlp/otlp-spans.ts';
import { eventPieces } from '../../report/trace/event-pieces.ts';
import { RunEvents } from '../../report/trace/run-events.ts';
import { stepTraceEvents } from '../../report/trace/step-trace-events.ts';
import type { TraceEvent } from '../../report/trace/trace-event.ts';
import { runMetrics } from '../../report/views/run-metrics.ts';
import { stepMetrics } from '../../report/views/step-metrics.ts';
import { foldRecords } from '../../store/fold.ts';
import type { Run } from '../../store/run-reader.ts';
import { runInfo } from '../info.ts';
import { stepsInfo } from '../targets/steps/info.ts';
import { VERSION } from '../version.ts';
import { SINGLE_ELEMENTS } from './export-chrome.ts';
import type { Exporter } from './exporter.ts';
import { WallClockFold } from './wall-clock.ts';

const FLAT = 'which span lies in which: all are children of the root';

/** Spans and figures of a run as OTLP's JSON, a request per line, as OpenTelemetry's file exporter writes it and its collector reads it. */
export const otlpExporter: Exporter = {
  async run(run, { out, files, fine = false }) {
    const info = await runInfo(run.folder);
    const { name, manifest, seconds, complete, status } = info;
    const events = new RunEvents({ fine });
    const records = run.records();
    const blocks = function* (): Generator<TraceEvent[], void, undefined> {
      for (const block of records.blocks()) yield events.block(block, records.subjects);
    };
    await files.write(
      out,
      otlpLines({
        name,
        traceId: traceIdOf(manifest.id.replaceAll('-', ''), run.folder),
        startNs: await startOf(run),
        durationNs: seconds * NS_PER_SECOND,
        isFine: complete && status === 'completed',
        resource: [numberAttribute('process.pid', manifest.pid), textAttribute('venturi.probe', manifest.probe)],
        events: blocks(),
        families: runMetrics(info),
      }),
    );
    return {
      leftOut: [...(fine ? [] : [SINGLE_ELEMENTS]), FLAT, 'counters over time: figures are those of the whole'],
    };
  },

  async steps(opened, { out, files }) {
    const { heading, trace } = opened;
    const { name } = heading;
    const last = trace.steps.reduce((latest, { start, duration }) => Math.max(latest, start + duration), 0);
    await files.write(
      out,
      otlpLines({
        name,
        traceId: traceIdOf('', `${name} ${trace.base}`),
        startNs: BigInt(trace.base),
        durationNs: last,
        isFine: true,
        resource: [textAttribute('venturi.probe', trace.source)],
        events: eventPieces(stepTraceEvents(trace)),
        families: stepMetrics(stepsInfo(opened)),
      }),
    );
    return { leftOut: ['dependencies between operations', FLAT] };
  },
  takes: ['fine'],
};

interface OtlpContent {
  readonly name: string;
  readonly traceId: string;
  readonly startNs: bigint;
  readonly durationNs: number;
  readonly isFine: boolean;
  readonly resource: readonly OtlpAttribute[];
  readonly events: Iterable<readonly TraceEvent[]>;
  readonly families: readonly MetricFamily[];
}

function* otlpLines(content: OtlpContent): Generator<string, void, undefined> {
  const { name, startNs, durationNs, isFine } = content;
  const resource = { attributes: [textAttribute('service.name', name), ...content.resource] };
  const scope = { name: 'venturi', version: VERSION };
  const spans = new OtlpSpans(content.traceId, startNs);
  const line = (own: readonly OtlpSpan[]): string =>
    `${JSON.stringify({ resourceSpans: [{ resource, scopeSpans: [{ scope, spans: own }] }] })}\n`;
  for (const events of content.events) {
    const own = spans.spans(events);
    if (own.length > 0) yield line(own);
  }
  yield line([spans.root(name, durationNs, isFine, [])]);
  const endNs = startNs + BigInt(Math.round(durationNs));
  const metrics = otlpMetrics(content.families, startNs, endNs);
  yield `${JSON.stringify({ resourceMetrics: [{ resource, scopeMetrics: [{ scope, metrics }] }] })}\n`;
}

/** Hexadecimal digits of a trace's number, of which not all may be 0; else of what tells the run from others. */
const traceIdOf = (id: string, otherwise: string): string =>
  /^(?=.*[1-9a-f])[0-9a-f]{32}$/.test(id) ? id : createHash('sha256').update(otherwise).digest('hex').slice(0, 32);

async function startOf(run: Run): Promise<bigint> {
  const fold = new WallClockFold();
  await foldRecords(run.records(), [fold]);
  return fold.startOf(run.manifest) ?? BigInt(Date.parse(run.manifest.createdAt)) * 1_000_000n;
}
