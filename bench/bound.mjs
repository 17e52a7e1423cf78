/**
 * Forecasts against what comes true: sizes from a part of the data, the bound on slow storage, how often bands hold, and what tuned pipelines
 * come to. `--only=NAME` leaves out the other cases, `--examples=images,ocr` chooses pipelines.
 * Runs are real where a case says so, else in virtual time (bench/virtual).
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bandCoverage } from './bound/band.mjs';
import { examplesOverBound } from './bound/examples.mjs';
import { decodedError, sourceError } from './bound/sizes.mjs';
import { storageError } from './bound/storage.mjs';

export default async function bound(report, { args }) {
  const [only] = args.filter(arg => arg.startsWith('--only=')).map(arg => arg.slice(7));
  const names = args
    .find(arg => arg.startsWith('--examples='))
    ?.slice(11)
    .split(',');
  const examples = (toReport, into) => examplesOverBound(toReport, into, { names });
  const folder = mkdtempSync(join(tmpdir(), 'venturi-bound-'));
  const cases = { source: sourceError, decoded: decodedError, io: storageError, band: bandCoverage, examples };
  try {
    for (const [name, measure] of Object.entries(cases)) {
      if (only === undefined || only === name) await measure(report, folder);
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
