/**
 * Throughput of distributed training, predicted from one worker's recording and measured on the cluster of test/cluster (bench/scaleout/configurations.mjs lists
 * what is trained). `--folder F` keeps measurements there and takes up where it was broken off, `--only async-ps/vgg,sync-ps` chooses by the beginnings of names, `--repeats N` (3),
 * `--minutes M` begins nothing after so many, `--measure` predicts nothing, `--compare` measures nothing.
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
    const opened = this.#open.get(script) ?? new Cluster(pythonOf(script));
    this.#open.set(script, opened);
    return opened;
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
    const began = performance.now();
    const minutes = () => (performance.now() - began) / 60e3;
    const last = Number(option(args, 'minutes') ?? Number.POSITIVE_INFINITY);
    const plan = {
      repeats: Number(option(args, 'repeats') ?? 3),
      isOver: () => minutes() > last,
      tell: line => process.stderr.write(`${minutes().toFixed(1)} min: ${line}\n`),
    };
    try {
      await measure(measurements, chosen, plan, clusters);
    } finally {
      await clusters.close();
    }
  }
  if (!args.includes('--measure')) await compare(report, measurements, chosen);
}
