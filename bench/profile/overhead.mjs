import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { runPipeline } from 'venturi';
import { added, cpuSeconds, inChild, median, middleMeanInterval } from '../harness.mjs';
import { bodyOf, pipelineFile } from './runs.mjs';

/** Part of the elements before what counts: until then V8 compiles. */
const WARM_UP = 0.1;
/** CPU of what counts in a run: 16 rounds of four such runs take less than three minutes. */
const RUN_SECONDS = 1.5;
/** Elements of the run by which their number is chosen. */
const TRIAL_ELEMENTS = 300_000;
const BATCH = 1024;

/** Operators `first` and `second`; behind them, one that writes down the CPU of the process when a part of the elements is through. */
const pipelineOf = (head, first, second) => `
import { writeFileSync } from 'node:fs';
import { pipeline, range } from 'venturi/engine';
${head}
let batches = 0;
const marked = (batch, warm) => {
  if (batches++ === warm) writeFileSync(process.env.VENTURI_BENCH_MARK, JSON.stringify(process.cpuUsage()));
  return batch;
};
export default pipeline(import.meta, { n: ${TRIAL_ELEMENTS} }, ({ n }) => range(n)
  .map(x => ${first}, { name: 'first' })
  .map(x => ${second}, { name: 'second' })
  .batch(${BATCH})
  .map(batch => marked(batch, Math.floor((n * ${WARM_UP}) / ${BATCH})), { name: 'mark' }));
`;

/** Reads that miss every cache, in an array of so many numbers. */
const MISSING = `
import { isMainThread } from 'node:worker_threads';
const SIZE = 2 ** 24;
// Where nothing runs, it would only take time.
const table = new Int32Array(isMainThread ? 1 : SIZE);
for (let at = 0; at < table.length; at++) table[at] = Math.imul(at, 0x9e3779b1);
const walk = (x, n) => { let y = x | 0; for (let k = 0; k < n; k++) y = table[(Math.imul(y, 0x85ebca6b) >>> 8) & (SIZE - 1)] ^ k; return y; };`;

const PLANS = {
  'cache-resident': { text: pipelineOf('', bodyOf(200), bodyOf(500)), allowed: 0.03 },
  'memory-bound': { text: pipelineOf(MISSING, 'walk(x, 10)', 'walk(x, 20)'), allowed: 0.08 },
};
const USUAL_RATE = 1000;
const HIGHER_RATES = [2000, 5000, 9000];

export const overheadCache = (report, folder, { rounds }) => overheadOf(report, folder, 'cache-resident', rounds);
export const overheadMemory = (report, folder, { rounds }) => overheadOf(report, folder, 'memory-bound', rounds);

async function overheadOf(report, folder, name, rounds) {
  const results = await sampledRounds(folder, name, [USUAL_RATE], rounds);
  const [sampled] = results.rates;
  report({
    case: `start-cost-seconds/${name}`,
    value: median(sampled.starts) - median(results.starts),
    unit: 's of CPU',
    base: median(results.starts),
  });
  const { allowed } = PLANS[name];
  const decided = results.noise <= allowed / 2 ? 'yes' : 'no';
  report({ ...overheadRow(name, results, sampled), decided, goal: `<= ${allowed}` });
}

/** Up to the highest rate that V8 holds, in a quarter of the rounds. */
export async function overheadCurve(report, folder, { rounds }) {
  for (const name of Object.keys(PLANS)) {
    const results = await sampledRounds(folder, name, HIGHER_RATES, Math.ceil(rounds / 4));
    for (const sampled of results.rates) report(overheadRow(name, results, sampled));
  }
}

const overheadRow = (name, { noise }, { rate, ratios, held, others, bytes }) => ({
  case: `overhead/${rate / 1000}kHz-${name}`,
  ...added(middleMeanInterval(ratios)),
  unit: 'of CPU',
  'A/A': noise,
  rounds: ratios.length,
  'samples a second': median(held),
  'of other threads': median(others),
  'bytes a sample': median(bytes),
});

/**
 * CPU of the whole process, recorded with samples against recorded without, from when the code is warm to the end of the run: stopping the profiler and writing down its samples counts, starting
 * it does not, and is told apart. Every run has a process to itself. A round is base, each rate, each rate again the other way round, base (ABBA), so that a machine which becomes faster or slower
 * all the time favours nobody. Its two runs without samples are the noise (A/A).
 */
async function sampledRounds(folder, name, rates, rounds) {
  const pipeline = pipelineFile(folder, `${name}.ts`, PLANS[name].text);
  const run = (rate, elements) =>
    inChild(import.meta.url, [pipeline, join(folder, `${name}-run`), join(folder, `${name}-mark`), rate, elements]);
  const trial = await run(0, TRIAL_ELEMENTS);
  const elements = Math.ceil((TRIAL_ELEMENTS * RUN_SECONDS) / trial.cpu);
  const [starts, noises] = [[], []];
  const results = rates.map(rate => ({ rate, ratios: [], starts: [], held: [], others: [], bytes: [] }));
  for (let round = 0; round < rounds; round++) {
    const first = await run(0, elements);
    const sampled = rates.map(() => []);
    for (const [at, rate] of rates.entries()) sampled[at].push(await run(rate, elements));
    for (const [at, rate] of [...rates.entries()].reverse()) sampled[at].push(await run(rate, elements));
    const last = await run(0, elements);
    starts.push(first.start, last.start);
    // Every second round counts the other way round: a drift of the machine is no noise of both.
    noises.push(round % 2 === 0 ? last.cpu / first.cpu : first.cpu / last.cpu);
    for (const [at, own] of sampled.entries()) {
      const cpu = own.reduce((sum, each) => sum + each.cpu, 0) / own.length;
      results[at].ratios.push(cpu / ((first.cpu + last.cpu) / 2));
      for (const { start, lane, others, bytes, wall } of own) {
        results[at].starts.push(start);
        results[at].held.push(lane / wall);
        results[at].others.push(others / wall);
        results[at].bytes.push(bytes / (lane + others));
      }
    }
  }
  const { low, high } = added(middleMeanInterval(noises));
  return { starts, noise: Math.max(Math.abs(low), Math.abs(high)), rates: results };
}

/** Samples of the lane and of other threads, and the size of all. */
function sampledIn(folder) {
  const lane = readdirSync(folder).find(name => name.startsWith('lane-'));
  const { tid } = JSON.parse(readFileSync(join(folder, lane), 'utf8'));
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

// As the program of a fresh process: `node overhead.mjs PIPELINE RECORDING MARK RATE ELEMENTS`.
if (process.argv[1] === new URL(import.meta.url).pathname) {
  const [pipeline, record, mark, rate, elements] = process.argv.slice(2);
  const profileRate = Number(rate) > 0 ? Number(rate) : undefined;
  process.env.VENTURI_BENCH_MARK = mark;
  const [before, began] = [cpuSeconds(), performance.now()];
  await runPipeline({ pipeline, record, profileRate, set: [], params: [`n=${elements}`] });
  const [end, wall] = [cpuSeconds(), (performance.now() - began) / 1e3];
  const { user, system } = JSON.parse(readFileSync(mark, 'utf8'));
  const warm = (user + system) / 1e6;
  const seen = profileRate === undefined ? {} : sampledIn(`${record}.venturi/profile`);
  rmSync(`${record}.venturi`, { recursive: true, force: true });
  process.stdout.write(`${JSON.stringify({ cpu: end - warm, start: warm - before, wall, ...seen })}\n`);
}
