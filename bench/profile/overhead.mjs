import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { runPipeline } from 'venturi';
import { inChild, median, medianInterval, timed } from '../harness.mjs';
import { chainOf, pipelineFile } from './runs.mjs';

/** Reads that miss every cache, in an array of so many numbers. */
const MISSING = `
import { pipeline, range } from 'venturi/engine';
const SIZE = 2 ** 23;
const table = new Int32Array(SIZE).map((_, at) => Math.imul(at, 0x9e3779b1));
const walk = (x, n) => { let y = x | 0; for (let k = 0; k < n; k++) y = table[(Math.imul(y, 0x85ebca6b) >>> 9) % SIZE] ^ k; return y; };
export default pipeline(import.meta, { n: 1_000_000 }, ({ n }) => range(n)
  .map(x => walk(x, 10), { name: 'first' })
  .map(x => walk(x, 20), { name: 'second' })
  .batch(1024));
`;

const PLANS = { 'cache-resident': chainOf([100, 200, 400], 4_000_000), 'memory-bound': MISSING };
const RATES = [1000, 2000, 5000, 9000];

/**
 * CPU of the whole process, recorded with samples against recorded without, in turns that begin with either (ABBA). The same without samples in
 * both places is the noise: where that is more than half of what is allowed, nothing is decided.
 */
export async function overhead(report, folder, { rounds }) {
  for (const [name, text] of Object.entries(PLANS)) {
    const pipeline = pipelineFile(folder, `${name}.ts`, text);
    const cpuOf = async rate => (await inChild(import.meta.url, [pipeline, join(folder, 'run'), rate])).cpu;
    const allowed = name === 'cache-resident' ? 0.03 : 0.08;
    const noise = await paired(
      rounds,
      () => cpuOf(0),
      () => cpuOf(0),
    );
    const noiseAt = Math.max(Math.abs(median(noise)), ...spreadOf(noise));
    for (const rate of RATES) {
      const ratios = await paired(
        rate === RATES[0] ? rounds : Math.ceil(rounds / 4),
        () => cpuOf(rate),
        () => cpuOf(0),
      );
      report({
        case: `overhead/${rate / 1000}kHz-${name}`,
        ...medianInterval(ratios),
        unit: 'of CPU',
        'A/A': noiseAt,
        rounds: ratios.length,
        ...(rate === RATES[0] && { decided: noiseAt <= allowed / 2 ? 'yes' : 'no', goal: `<= ${allowed}` }),
      });
    }
  }
}

/** Half the width of the interval in which the median of the noise lies. */
const spreadOf = noise => {
  const { low, high } = medianInterval(noise);
  return [(high - low) / 2];
};

async function paired(rounds, ours, theirs) {
  const ratios = [];
  for (let round = 0; round < rounds; round++) {
    const order = round % 2 === 0 ? [ours, theirs] : [theirs, ours];
    const [one, other] = [await order[0](), await order[1]()];
    const [mine, base] = round % 2 === 0 ? [one, other] : [other, one];
    ratios.push(mine / base - 1);
  }
  return ratios;
}

// As the program of a fresh process: `node overhead.mjs PIPELINE RECORDING RATE`.
if (process.argv[1] === new URL(import.meta.url).pathname) {
  const [pipeline, record, rate] = process.argv.slice(2);
  const profileRate = Number(rate) > 0 ? Number(rate) : undefined;
  const took = await timed(() => runPipeline({ pipeline, record, profileRate, set: [], params: [] }));
  rmSync(`${record}.venturi`, { recursive: true, force: true });
  process.stdout.write(`${JSON.stringify(took)}\n`);
}
