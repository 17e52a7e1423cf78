import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { runPipeline } from 'venturi';
import { inChild, median, medianInterval, timed } from '../harness.mjs';
import { atOnce, chainOf, pipelineFile } from './runs.mjs';

/** Reads that miss every cache, in an array of so many numbers. */
const MISSING = `
import { pipeline, range } from 'venturi/engine';
const SIZE = 2 ** 24;
const table = new Int32Array(SIZE).map((_, at) => Math.imul(at, 0x9e3779b1));
const walk = (x, n) => { let y = x | 0; for (let k = 0; k < n; k++) y = table[(Math.imul(y, 0x85ebca6b) >>> 8) & (SIZE - 1)] ^ k; return y; };
export default pipeline(import.meta, { n: 1_500_000 }, ({ n }) => range(n)
  .map(x => walk(x, 10), { name: 'first' })
  .map(x => walk(x, 20), { name: 'second' })
  .batch(1024));
`;

/** Elements of a long run, about three seconds of them, and of one that is next to nothing but start and end. */
const PLANS = {
  'cache-resident': { text: chainOf([100, 200, 400], 5_000_000), allowed: 0.03, long: 5_000_000, short: 20_000 },
  'memory-bound': { text: MISSING, allowed: 0.08, long: 1_500_000, short: 6_000 },
};
const RATES = [1000, 2000, 5000, 9000];
const SHORT_ROUNDS = 5;

/**
 * CPU of the whole process, recorded with samples against recorded without. A round is base, samples, base, in that order or in the other (ABA, BAB taken as
 * one: the sampled run stands between two of the others); the two without are the noise (A/A). Start and end cost the same however long a
 * run is: they are measured in short runs, told apart, and taken off both.
 */
export async function overhead(report, folder, { rounds }) {
  await atOnce(Object.entries(PLANS), ([name, plan]) => overheadOf(report, folder, name, plan, rounds));
}

async function overheadOf(report, folder, name, { text, allowed, long, short }, rounds) {
  const pipeline = pipelineFile(folder, `${name}.ts`, text);
  const run = (rate, elements) => inChild(import.meta.url, [pipeline, join(folder, `${name}-run`), rate, elements]);
  const starts = { base: [], sampled: [] };
  for (let round = 0; round < SHORT_ROUNDS; round++) {
    starts.base.push((await run(0, short)).cpu);
    starts.sampled.push((await run(RATES[0], short)).cpu);
  }
  const [startOfBase, startOfSampled] = [median(starts.base), median(starts.sampled)];
  report({
    case: `start-cost-seconds/${name}`,
    value: startOfSampled - startOfBase,
    unit: 's of CPU',
    base: startOfBase,
  });
  for (const rate of RATES) {
    const [ratios, noise, held, others] = [[], [], [], []];
    let bytes = 0;
    for (let round = 0; round < (rate === RATES[0] ? rounds : Math.ceil(rounds / 4)); round++) {
      const first = (await run(0, long)).cpu - startOfBase;
      const sampled = await run(rate, long);
      const second = (await run(0, long)).cpu - startOfBase;
      ratios.push((sampled.cpu - startOfSampled) / ((first + second) / 2) - 1);
      // Every second round counts the other way round: a drift of the machine is no noise of both.
      noise.push(round % 2 === 0 ? second / first - 1 : first / second - 1);
      held.push(sampled.lane / sampled.wall);
      others.push(sampled.others / sampled.wall);
      bytes = sampled.bytes / (sampled.lane + sampled.others);
    }
    const ofNoise = medianInterval(noise);
    const noiseAt = Math.max(Math.abs(ofNoise.low), Math.abs(ofNoise.high));
    report({
      case: `overhead/${rate / 1000}kHz-${name}`,
      ...medianInterval(ratios),
      unit: 'of CPU',
      'A/A': noiseAt,
      rounds: ratios.length,
      'samples a second': median(held),
      'of other threads': median(others),
      'bytes a sample': bytes,
      ...(rate === RATES[0] && { decided: noiseAt <= allowed / 2 ? 'yes' : 'no', goal: `<= ${allowed}` }),
    });
  }
}

/** Samples of the lane and of other threads, and the size of all. */
function sampledIn(folder) {
  const tid = Number(
    JSON.parse(
      readFileSync(
        join(
          folder,
          readdirSync(folder).find(name => name.startsWith('lane-')),
        ),
        'utf8',
      ),
    ).tid,
  );
  const text = readFileSync(join(folder, 'samples.jsonl'), 'utf8');
  const threads = new Map();
  const counts = { lane: 0, others: 0, bytes: text.length };
  for (const line of text.split('\n')) {
    if (line === '') continue;
    const { start, stream, samples } = JSON.parse(line);
    if (start !== undefined) threads.set(start[0], start[1]);
    if (stream !== undefined) counts[threads.get(stream) === tid ? 'lane' : 'others'] += samples.length;
  }
  return counts;
}

// As the program of a fresh process: `node overhead.mjs PIPELINE RECORDING RATE ELEMENTS`.
if (process.argv[1] === new URL(import.meta.url).pathname) {
  const [pipeline, record, rate, elements] = process.argv.slice(2);
  const profileRate = Number(rate) > 0 ? Number(rate) : undefined;
  const took = await timed(() => runPipeline({ pipeline, record, profileRate, set: [], params: [`n=${elements}`] }));
  const seen = profileRate === undefined ? {} : sampledIn(`${record}.venturi/profile`);
  rmSync(`${record}.venturi`, { recursive: true, force: true });
  process.stdout.write(`${JSON.stringify({ ...took, ...seen })}\n`);
}
