import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { diagnose, type Finding, runInfo } from 'venturi';
import type { RunOptions } from 'venturi/engine';
import { recordRun } from 'venturi/record';
import { afterAll, expect, it } from 'vitest';
import batches from './fixtures/large-batches.ts';

const folder = mkdtempSync(join(tmpdir(), 'in-parts-'));
afterAll(() => rmSync(folder, { recursive: true }));

const BATCH_BYTES = 8 * 65_536;
/** Long enough to be judged. */
const SECONDS = 1.5;

let recorded = 0;

/** What is found of batches in parts in a run with such options, and whether any went so. */
async function recordedWith(options: RunOptions): Promise<{ finding: Finding | undefined; chunks: number }> {
  const recording = join(folder, `${++recorded}.venturi`);
  const run = recordRun(recording, batches, options);
  let until = Number.POSITIVE_INFINITY;
  for await (const _ of run) {
    until = Math.min(until, performance.now() + SECONDS * 1000);
    if (performance.now() >= until) break;
  }
  await run.finished;
  await new Promise(resolve => setImmediate(resolve));
  const { verdict, others } = await diagnose(recording);
  const { channels } = await runInfo(recording);
  return {
    finding: [verdict, ...others].find(({ kind }) => kind === 'chunks-in-parts'),
    chunks: channels.reduce((sum, { chunksInParts = 0 }) => sum + chunksInParts, 0),
  };
}

it('a run whose memory is too small for its batches is told so, and how much lets them pass whole', async () => {
  for (const borrow of [false, true]) {
    const { finding } = await recordedWith({ memory: 4e6, borrow });
    expect(finding).toMatchObject({
      figures: { to: 'consumer', batch: 8, share: expect.closeTo(1, 1), memory: 4e6, others: 0 },
      fix: { type: 'memory' },
    });
    const { largest = 0, slot = 0 } = finding?.kind === 'chunks-in-parts' ? finding.figures : {};
    expect(largest).toBeGreaterThan(BATCH_BYTES);
    expect(slot).toBeLessThan(BATCH_BYTES);
    const memory = finding?.fix.type === 'memory' ? finding.fix.bytes : Number.NaN;
    expect(await recordedWith({ memory, borrow })).toEqual({ finding: undefined, chunks: 0 });
  }
});
