/** Pipelines for the engine, each with a bottleneck that can be planted on a machine with a few cores. */
import { pbkdf2 } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { promisify } from 'node:util';
import { files, limitedStorage, pipeline, range } from 'venturi/engine';

function spin(n, rounds) {
  let x = n;
  for (let at = 0; at < rounds; at++) x = (x * 1103515245 + 12345) % 2147483648;
  return x;
}
const heavy = n => spin(n, 200_000);
const derive = promisify(pbkdf2);

const slow = limitedStorage({ bytesPerSecond: 20e6, latencyMs: 0.1, device: 'slow' });
const far = limitedStorage({ bytesPerSecond: 2e9, latencyMs: 10, device: 'far' });
const reading = (folder, storage) =>
  files(folder)
    .map(file => storage.readFile(file.path), { name: 'planted', parallelism: 2 })
    .map(bytes => bytes.length, { name: 'length' })
    .batch(8)
    .repeat();

const PIPELINES = {
  'consumer-bound': () =>
    range(1e9)
      .map(x => x + 1, { name: 'light' })
      .batch(8),
  'cpu-bound': () => range(1e9).map(heavy, { name: 'planted', parallelism: 1 }).batch(8),
  'cpu-bound/hardware': () =>
    range(1e9)
      .map(heavy, { name: 'planted', parallelism: availableParallelism() + 1 })
      .batch(8),
  'sequential-operator': () => range(1e9).groupByLength(8, [1e9], heavy, { name: 'planted' }),
  'io-latency': folder => reading(folder, far),
  'io-bandwidth': folder => reading(folder, slow),
  'shuffle-warm-up': () =>
    range(2200).map(heavy, { name: 'heavy', parallelism: 1 }).shuffle(1500, { name: 'planted' }).batch(8),
  'small-operators': () =>
    range(1e9)
      .map(x => ({ name: `element ${x}`, value: x }), { name: 'planted', parallelism: 1 })
      .map(element => element.value, { name: 'value', parallelism: 2 })
      .batch(50_000),
  'own-threads': () =>
    range(1e9)
      .map(async x => (await derive(`${x}`, 'salt', 60_000, 64, 'sha512'))[0], { name: 'planted', concurrency: 4 })
      .batch(1),
  'short-recording': () => range(3).map(heavy, { name: 'planted' }),
};

export const KINDS = Object.keys(PIPELINES);

export default pipeline(import.meta, { kind: String, folder: '' }, ({ kind, folder }) => PIPELINES[kind](folder));
