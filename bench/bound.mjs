/**
 * Forecasts against what comes true: sizes from a part of the data, the bound on slow storage, how often bands hold, and what tuned pipelines
 * come to. `--only=NAME` leaves out the other cases, `--examples=images,ocr` chooses pipelines.
 * Runs are real where a case says so, else in virtual time (bench/virtual).
 */
import { bandCoverage } from './bound/band.mjs';
import { examplesOverBound } from './bound/examples.mjs';
import { decodedError, sourceError } from './bound/sizes.mjs';
import { storageError } from './bound/storage.mjs';
import { inFolder, option } from './harness.mjs';

export default async function bound(report, { args }) {
  const only = option(args, 'only');
  const names = option(args, 'examples')?.split(',');
  const examples = (toReport, into) => examplesOverBound(toReport, into, { names });
  const cases = { source: sourceError, decoded: decodedError, io: storageError, band: bandCoverage, examples };
  await inFolder(async folder => {
    for (const [name, measure] of Object.entries(cases)) {
      if (only === undefined || only === name) await measure(report, folder);
    }
  });
}
