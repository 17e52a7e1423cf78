import { execFileSync } from 'node:child_process';
import { cpSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { jobText } from '../src/probes/steps/kineto/trace.fixture.ts';
import type { ExportFormat } from '../src/workflow/index.ts';
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

  beforeAll(async () => {
    workshop.write('steps.json', jobText({}));
    for (const run of RUNS) cpSync(`${RECORDINGS}${run}.venturi`, workshop.path(`${run}.venturi`), { recursive: true });
    const given: string[] = [];
    for (const run of [...RUNS, 'steps.json']) {
      for (const to of ['perfetto'] as const) {
        const out = `${run}.${to}`;
        expect(await workshop.venturi('export', run, '--to', to, '--out', out)).toMatchObject({ code: 0 });
        given.push(to, workshop.path(out));
      }
      expect(await workshop.venturi('export', run, '--to', 'chrome', '--out', `${run}.chrome`)).toMatchObject({
        code: 0,
      });
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
});
