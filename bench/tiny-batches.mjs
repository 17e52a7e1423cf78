/**
 * Batches of four rows without workers: what recording costs each of them in CPU, while it goes on and after it has ended, and whether all of them are
 * counted. Every round is a process of its own; within it, epochs with the probe and without it alternate.
 */
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  inFolder,
  inProcess,
  medianInterval,
  medianOf,
  probeEnvironment,
  repeated,
  spread,
  venturi,
} from './harness.mjs';
import { isPythonAbsent, python } from './probe/python.mjs';

const MEASURE = fileURLToPath(new URL('./probe/tiny_batches.py', import.meta.url));
const ROUNDS = 4;

export default async function tinyBatches(report) {
  if (isPythonAbsent(report, ['cost-us', 'cost-us-after-end', 'counted'])) return;
  await inFolder(async folder => {
    const measured = await repeated(ROUNDS, round => measure(join(folder, `round-${round}`)));
    const all = key => measured.flatMap(result => result[key]);
    report({
      case: 'cost-us',
      ...medianInterval(all('recording')),
      unit: 'µs per batch',
      goal: '<= 5',
      bareUs: medianOf(measured, 'bare'),
    });
    report({ case: 'cost-us-after-end', ...medianInterval(all('ended')), unit: 'µs per batch', goal: '<= 0.2' });
    const counted = measured.map(({ seen, batches }) => seen / batches);
    report({ case: 'counted', ...spread(counted), unit: 'of the batches', goal: '1' });
  });
}

async function measure(name) {
  const measured = await inProcess(python, [MEASURE, name], probeEnvironment());
  const [loader] = JSON.parse(await venturi(['info', name, '--json'])).batches.loaders;
  return { ...measured, seen: loader.elements === 4 * loader.batches ? loader.batches : 0 };
}
