/**
 * Forecasts against what comes true: sizes from a part of the data, the ceiling on slow storage, and what tuned pipelines
 * come to. `--only=NAME` leaves out the other cases, `--examples=images,ocr` chooses pipelines and `--rounds=N` how often each is measured.
 * Runs are real where a case says so, else in virtual time (bench/virtual).
 */
import { examplesUnderCeiling } from './ceiling/examples.mjs';
import { decodedError, sourceError } from './ceiling/sizes.mjs';
import { storageError } from './ceiling/storage.mjs';
import { belowCeiling } from './ceiling/virtual.mjs';
import { inFolder, option } from './harness.mjs';

export default async function ceiling(report, { args }) {
  const only = option(args, 'only');
  const names = option(args, 'examples')?.split(',');
  const rounds = option(args, 'rounds');
  const examples = (toReport, into) =>
    examplesUnderCeiling(toReport, into, { names, ...(rounds && { rounds: Number(rounds) }) });
  const cases = { source: sourceError, decoded: decodedError, io: storageError, virtual: belowCeiling, examples };
  await inFolder(async folder => {
    for (const [name, measure] of Object.entries(cases)) {
      if (only === undefined || only === name) await measure(report, folder);
    }
  });
}
