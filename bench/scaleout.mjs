/**
 * Throughput of distributed training, predicted from one worker's recording and measured on the cluster of test/cluster (bench/scaleout/configurations.mjs lists
 * what is trained). `--folder F` keeps measurements there and takes up where it was broken off, `--only async-ps/vgg,sync-ps` chooses by the
 * beginnings of names, `--repeats N` (3), `--measure` predicts nothing, `--compare` measures nothing.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { option } from './harness.mjs';
import { Cluster } from './scaleout/cluster.mjs';
import { compare } from './scaleout/compare.mjs';
import { CONFIGURATIONS } from './scaleout/configurations.mjs';
import { Measurements, measure } from './scaleout/measure.mjs';

const pythonOf = script =>
  execFileSync(fileURLToPath(new URL(`../tools/${script}`, import.meta.url)), { encoding: 'utf8' }).trim();

/** A cluster for each runtime, opened when it is first needed. */
class Clusters {
  #open = new Map();

  of({ mode }) {
    const script = mode === 'allreduce' ? 'current-torch.sh' : 'current-tensorflow.sh';
    if (!this.#open.has(script)) this.#open.set(script, new Cluster(pythonOf(script)));
    return this.#open.get(script);
  }

  close() {
    return Promise.all([...this.#open.values()].map(cluster => cluster.close()));
  }
}

export default async function scaleout(report, { args }) {
  const only = option(args, 'only')?.split(',') ?? [''];
  const chosen = CONFIGURATIONS.filter(({ id }) => only.some(beginning => id.startsWith(beginning)));
  const folder = option(args, 'folder') ?? mkdtempSync(join(tmpdir(), 'venturi-scaleout-'));
  const measurements = new Measurements(folder);
  process.stderr.write(`measurements in ${folder}\n`);
  if (!args.includes('--compare')) {
    const clusters = new Clusters();
    const tell = line => process.stderr.write(`${line}\n`);
    try {
      await measure(measurements, chosen, Number(option(args, 'repeats') ?? 3), job => clusters.of(job), tell);
    } finally {
      await clusters.close();
    }
  }
  if (!args.includes('--measure')) await compare(report, measurements, chosen);
}
