import { execFileSync } from 'node:child_process';
import { cpSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { jobText } from '../src/probes/steps/kineto/trace.fixture.ts';
import { type ExportFormat, exportRun, runInfo } from '../src/workflow/index.ts';
import { skipped } from './fixtures/python.ts';
import { Workshop } from './fixtures/workshop.ts';

/** Exports, opened by the readers of those who publish the formats. */
const python = process.env.VENTURI_PYTHON_READERS;
const reason = skipped(python, 'readers of exports in VENTURI_PYTHON_READERS: tools/export-readers.sh');

const PROGRAM = fileURLToPath(new URL('./fixtures/export_readers.py', import.meta.url));
const RECORDINGS = fileURLToPath(new URL('./golden/recordings/', import.meta.url));
const RUNS = ['pipeline-joined', 'program-workers', 'program-sampled'] as const;

const workshop = new Workshop();
afterAll(() => workshop.remove());

describe.runIf(python !== undefined)(`readers of other programs${reason}`, () => {
  const found = new Map<string, Record<string, unknown>>();
  const of = (run: string, to: ExportFormat): Record<string, unknown> => found.get(`${run}.${to}`) ?? {};

  async function write(run: string, to: ExportFormat, name: string): Promise<string> {
    const { out } = await exportRun(workshop.path(run), { to, out: workshop.path(name) });
    return out;
  }

  beforeAll(async () => {
    workshop.write('steps.json', jobText({}));
    for (const run of RUNS) cpSync(`${RECORDINGS}${run}.venturi`, workshop.path(`${run}.venturi`), { recursive: true });
    const given: string[] = [];
    for (const run of [...RUNS, 'steps.json']) {
      for (const to of ['perfetto', 'prometheus', 'otlp', 'parquet'] as const) {
        const out = `${run}.${to}`;
        given.push(to, await write(run, to, out));
      }
      await write(run, 'chrome', `${run}.chrome`);
    }
    const said: Record<string, Record<string, unknown>> = JSON.parse(
      execFileSync(python ?? '', [PROGRAM, ...given], { encoding: 'utf8', maxBuffer: 1 << 28 }),
    );
    for (const [path, facts] of Object.entries(said)) found.set(basename(path), facts);
  }, 120_000);

  /** Spans of the Chrome trace, as the slices of the other. */
  function chromeSlices(run: string): unknown[] {
    interface Event {
      readonly ph: string;
      readonly name: string;
      readonly pid: number;
      readonly tid: number;
      readonly ts: number;
      readonly dur: number;
      readonly args: { readonly name?: string };
    }
    const { traceEvents }: { traceEvents: Event[] } = JSON.parse(readFileSync(workshop.path(`${run}.chrome`), 'utf8'));
    const titles = new Map(
      traceEvents.flatMap(({ name, pid, tid, args }) => (name === 'thread_name' ? [[`${pid}/${tid}`, args.name]] : [])),
    );
    return traceEvents
      .filter(({ ph }) => ph === 'X')
      .map(({ name, pid, tid, ts, dur }) => [
        titles.get(`${pid}/${tid}`),
        name,
        Math.round(ts * 1000),
        Math.round(ts * 1000 + dur * 1000),
      ]);
  }
  const sorted = (slices: unknown): string[] => (slices as unknown[]).map(slice => JSON.stringify(slice)).sort();

  it.each([...RUNS, 'steps.json'])("Perfetto's schema: %s has the spans of the Chrome trace", run => {
    expect(sorted(of(run, 'perfetto').slices)).toEqual(sorted(chromeSlices(run)));
  });

  it("Perfetto's schema: counters, and arrows from preparations to uses", () => {
    expect(of('pipeline-joined', 'perfetto').counters).toBeGreaterThan(100);
    const [leaving, arriving, both] = of('program-workers', 'perfetto').flows as number[];
    expect(both).toBeGreaterThan(0);
    expect([both, arriving]).toEqual([arriving, both]);
    expect(leaving).toBeGreaterThanOrEqual(both ?? 0);
  });

  it.each([...RUNS, 'steps.json'])(
    'OpenTelemetry: %s has the spans of the Chrome trace, and the figures of Prometheus',
    run => {
      const spans = chromeSlices(run).map(slice => {
        const [, name, start, end] = slice as [string, string, number, number];
        return [name, end - start];
      });
      expect(sorted(of(run, 'otlp').spans)).toEqual(sorted(spans));
      expect(of(run, 'otlp').points).toBe((of(run, 'prometheus').samples as unknown[]).length);
    },
  );

  it('Prometheus: figures have the values of `info`', async () => {
    const { seconds, lanesRows, channels } = await runInfo(workshop.path('pipeline-joined'));
    const samples = of('pipeline-joined', 'prometheus').samples as [string, Record<string, string>, number][];
    const named = (name: string) => samples.filter(([own]) => own === name);
    expect(named('venturi_run_seconds')).toEqual([['venturi_run_seconds', {}, seconds]]);
    expect(named('venturi_lane_state_seconds_total')).toHaveLength(5 * lanesRows.length);
    expect(named('venturi_channel_full_ratio')).toHaveLength(channels.length);
  });

  it('DuckDB: every table has its rows', async () => {
    for (const run of [...RUNS, 'steps.json']) {
      await write(run, 'csv', 'csv');
      for (const [table, rows] of Object.entries(of(run, 'parquet'))) {
        const lines = readFileSync(workshop.path(`csv/${table}.csv`), 'utf8').split('\n').length - 2;
        expect([run, table, rows]).toEqual([run, table, lines]);
      }
    }
  });
});
