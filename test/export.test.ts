import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { isLong } from './fixtures/depth.ts';
import { findKinetoPython, skipped } from './fixtures/python.ts';
import { Workshop } from './fixtures/workshop.ts';

const workshop = new Workshop();
afterAll(() => workshop.remove());

interface Event {
  readonly ph: string;
  readonly name: string;
  readonly cat?: string;
  readonly id?: string | number;
  readonly pid: number | string;
  readonly ts: number;
  readonly dur: number;
}

function eventsOf(file: string): Event[] {
  const { traceEvents }: { traceEvents: Event[] } = JSON.parse(readFileSync(workshop.path(file), 'utf8'));
  return traceEvents;
}

const spans = (events: readonly Event[], name: RegExp, isOurs: boolean): Event[] =>
  events
    .filter(event => event.ph === 'X' && name.test(event.name) && (event.cat === 'venturi') === isOurs)
    .sort((a, b) => a.ts - b.ts);

describe('venturi export', () => {
  it('writes an engine run as a trace and as tables', async () => {
    workshop.pipeline('p.ts', "range(p.n).map(x => x + 1, { name: 'plus', parallelism: 1 }).batch(10)");
    await workshop.record('p.ts', 'engine');
    expect(await workshop.venturi('export', 'engine', '--to', 'chrome')).toMatchObject({ code: 0 });
    expect(spans(eventsOf('engine.json'), /plus/, true).length).toBeGreaterThan(0);
    expect(await workshop.venturi('export', 'engine', '--to', 'csv', '--out', 'tables')).toMatchObject({ code: 0 });
    expect(readdirSync(workshop.path('tables'))).toEqual(
      expect.arrayContaining(['counters.csv', 'lanes.csv', 'operators.csv', 'run.csv', 'spans.csv']),
    );
    expect(readFileSync(workshop.path('tables/operators.csv'), 'utf8')).toMatch(/^id,.*\n[\s\S]*^plus,/m);
  });

  it('says what it cannot do', async () => {
    workshop.pipeline('q.ts', 'range(p.n)');
    await workshop.record('q.ts', 'small');
    expect(await workshop.venturi('export', 'small', '--to', 'nothing')).toMatchObject({ code: 2 });
    const fine = await workshop.venturi('export', 'small', '--to', 'csv', '--fine');
    expect([fine.code, fine.stderr]).toEqual([2, expect.stringContaining('--to chrome')]);
    const nowhere = await workshop.venturi('export', 'small', '--to', 'chrome', '--out', 'no/such/folder.json');
    expect([nowhere.code, nowhere.stderr]).toEqual([2, expect.stringContaining('VENTURI_FILE_UNWRITABLE')]);
  });
});

const kinetoPython = isLong ? findKinetoPython() : undefined;
const kinetoNeeded = isLong ? skipped(kinetoPython, 'torch and its Kineto profiler') : ' (skipped: npm run test:long)';

describe.runIf(kinetoPython !== undefined)(`a trace merged with the profiler's${kinetoNeeded}`, () => {
  it.each([0, 2])('shows the same moments on one clock with %d workers', { timeout: 120_000 }, async workers => {
    const script = fileURLToPath(new URL('./fixtures/profiled.py', import.meta.url));
    const run = `profiled-${workers}`;
    const program = [kinetoPython ?? '', script, 'trace.json', String(workers)];
    expect(await workshop.venturi('record', '--no-costs', '--out', run, '--', ...program)).toMatchObject({ code: 0 });
    const args = ['--to', 'chrome', '--fine', '--merge', 'trace.json', '--out', 'merged.json'];
    expect(await workshop.venturi('export', run, ...args)).toMatchObject({ code: 0 });
    const merged = eventsOf('merged.json');
    expect(merged.filter(({ cat }) => cat !== 'venturi').length).toBeGreaterThanOrEqual(eventsOf('trace.json').length);
    // The profiler itself times each call for a batch: its span lies within our wait. Its clock is good to some µs.
    const theirs = spans(merged, /^enumerate\(DataLoader\)/, false);
    const waits = spans(merged, /^wait$/, true);
    expect(waits).toHaveLength(12);
    for (const [at, wait] of waits.entries()) {
      const seen = theirs[at];
      expect(seen?.ts).toBeGreaterThan(wait.ts - 500);
      expect((seen?.ts ?? 0) + (seen?.dur ?? 0)).toBeLessThan(wait.ts + wait.dur + 500);
    }
    const foreign = new Set(
      merged.filter(({ cat }) => cat !== 'venturi').flatMap(({ ph, pid }) => (ph === 'M' ? [] : [pid])),
    );
    expect(merged.filter(({ cat, pid }) => cat === 'venturi' && foreign.has(pid))).toEqual([]);
    const ids = (ph: string): unknown[] => merged.filter(e => e.ph === ph && e.cat === 'venturi').map(({ id }) => id);
    expect(ids('f').sort()).toEqual(ids('s').sort());
    expect(ids('s')).toHaveLength(12);
  });
});
