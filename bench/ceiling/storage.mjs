/** The ceiling on slow storage, told before it is slow: from a recording on fast storage, for bandwidths from 10 to 200 MB/s. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { predict } from 'venturi';
import { recordRun } from 'venturi/record';
import { logNormal, randomOf } from '../virtual/random.mjs';
import files from './files.mjs';

const BANDWIDTHS = [10e6, 20e6, 50e6, 100e6, 200e6];
const SECONDS = 10;

export async function storageError(report, folder) {
  const data = join(folder, 'data');
  mkdirSync(data);
  const random = randomOf(5);
  const size = logNormal(200e3, 0.7);
  for (let at = 0; at < 100; at++) writeFileSync(join(data, `f${at}`), new Uint8Array(Math.round(size(random))));
  const record = async (name, bandwidth, lanes) => {
    const path = join(folder, `${name}.venturi`);
    const run = recordRun(path, files, { params: { folder: data, bandwidth, lanes } });
    const began = performance.now();
    for await (const _ of run) if (performance.now() - began > SECONDS * 1000) break;
    await run.finished;
    return path;
  };
  const naive = await record('naive', 0, 1);
  const ceilings = [];
  for (const bytesPerSecond of BANDWIDTHS) {
    const { ceiling } = await predict(naive, { disk: { points: [{ readers: 1, bytesPerSecond }], cold: true } });
    ceilings.push(ceiling);
  }
  let worst = 0;
  for (const [at, bandwidth] of BANDWIDTHS.entries()) {
    const { measured } = await predict(await record(`at${at}`, bandwidth, 6));
    const error = Math.abs(measured.estimate / ceilings[at].rate.estimate - 1);
    worst = Math.max(worst, error);
    report({
      case: `io/${bandwidth / 1e6}MB/s`,
      value: measured.estimate / ceilings[at].rate.estimate,
      low: measured.low / ceilings[at].rate.estimate,
      high: measured.high / ceilings[at].rate.estimate,
      unit: 'of ceiling',
      ceiling: ceilings[at].rate.estimate,
      binding: ceilings[at].binding.kind,
      runs: 'engine',
    });
  }
  report({ case: 'io/worst-error', value: worst, unit: 'share', goal: '<= 0.05' });
}
