import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RECORD_KIND } from '../src/model/record.ts';
import { openRun } from '../src/store/run-reader.ts';
import type { ProgramDiagnosis } from '../src/workflow/index.ts';
import { THREADS, triedTorches } from './fixtures/python.ts';
import { PATIENCE } from './fixtures/torch-workshop.ts';
import { type Finished, Workshop } from './fixtures/workshop.ts';

const ROW = /^(\w+): (\d+) batches, (\d+) elements, thread (\d+)$/gm;

/** By loader: the threads in whose lanes it was waited for, and how often. */
function waits(folder: string): Map<string, Map<number, number>> {
  const source = openRun(folder).records();
  const found = new Map<string, Map<number, number>>();
  for (const block of source.blocks()) {
    for (let row = 0; row < block.count; row++) {
      const [, loader] = /^wait:(.*)$/.exec(source.subjects[block.subject[row] ?? -1] ?? '') ?? [];
      if (loader === undefined || block.kind[row] !== RECORD_KIND.span) continue;
      const threads = found.get(loader) ?? new Map<number, number>();
      found.set(loader, threads.set(block.lane.tid, (threads.get(block.lane.tid) ?? 0) + 1));
    }
  }
  return found;
}

for (const { name: torch, python } of triedTorches) {
  describe.skipIf(python === undefined)(`loaders in threads on ${torch}`, { timeout: PATIENCE }, () => {
    const workshop = new Workshop();
    let recorded: Finished;
    beforeAll(async () => {
      recorded = await workshop.venturi('record', '--no-costs', '--out', 'threads', '--', python ?? 'python3', THREADS);
    }, PATIENCE);
    afterAll(() => workshop.remove());

    it('are counted batch by batch and element by element, whichever thread took them', async () => {
      expect(recorded.code, recorded.stderr).toBe(0);
      const told = [...recorded.stdout.matchAll(ROW)].map(([, name, batches, elements]) => [
        name,
        Number(batches),
        Number(elements),
      ]);
      expect(told.map(([name]) => name)).toEqual(['moved', 'worked', 'left', 'right', 'few']);
      const { batches, complete } = await workshop.info('threads');
      const seen = batches?.loaders.map(loader => [loader.name, loader.batches, Number(loader.elements)]);
      expect(seen?.sort()).toEqual(told.sort());
      expect(complete).toBe(true);
    });

    it('are judged, but for one with few batches beside the others', async () => {
      const { stdout } = await workshop.venturi('diagnose', 'threads', '--json');
      const { verdict, others, loaders }: ProgramDiagnosis = JSON.parse(stdout);
      expect(loaders.map(({ summary }) => summary.name)).toContain('few');
      expect([verdict, ...others].map(({ kind }) => kind)).not.toContain('few-batches');
    });

    it('have what is waited for in the lane of the thread that waits', () => {
      const found = waits(workshop.path('threads'));
      for (const [, name = '', batches, , thread] of recorded.stdout.matchAll(ROW)) {
        expect([name, [...(found.get(name) ?? [])]]).toEqual([name, [[Number(thread), Number(batches)]]]);
      }
    });
  });
}
