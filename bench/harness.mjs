/** What benches share: how results are told, how two programs are compared, how a case gets a process to itself. */
import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

/**
 * Gives `report`, to be called once per result: `value` rests on CPU time unless the case says otherwise, `low` and
 * `high` are its spread or interval, `wall` is the same by the clock. `absent` stands in the place of a value that
 * could not be measured and says why.
 */
export function reporter(bench, { json }) {
  return facts => {
    const result = { bench, ...facts };
    process.stdout.write(`${json ? JSON.stringify(result) : readable(result)}\n`);
  };
}

/** What was given for an option, as `--name VALUE` or `--name=VALUE`; undefined where it was not. */
export function option(args, name) {
  const at = args.indexOf(`--${name}`);
  return at < 0 ? args.find(arg => arg.startsWith(`--${name}=`))?.slice(name.length + 3) : args[at + 1];
}

/** Hands `work` an empty folder, which is removed afterwards. */
export async function inFolder(work, parent = tmpdir()) {
  const folder = mkdtempSync(join(parent, 'venturi-bench-'));
  try {
    return await work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Does `work`; where it fails, `name` is reported as absent, with the reason, and whatever comes next can still be measured. */
export async function orAbsent(report, name, work) {
  try {
    return await work();
  } catch (error) {
    report({ case: name, absent: /\w*Error: .*/.exec(error.stderr ?? '')?.[0] ?? error.message });
    return undefined;
  }
}

function readable({ bench, case: name, value, low, high, unit, wall, absent, ...more }) {
  const title = `${bench} ${name}`.padEnd(42);
  if (absent !== undefined) return `${title} absent: ${absent}`;
  const spread = low === undefined ? '' : `(${significant(low)} to ${significant(high)})`;
  const facts = Object.entries({ ...(wall !== undefined && { wall }), ...more }).map(
    ([key, fact]) => `${key} ${typeof fact === 'number' ? significant(fact) : String(fact)}`,
  );
  return `${title} ${significant(value).padStart(9)} ${unit.padEnd(12)} ${spread.padEnd(22)} ${facts.join(', ')}`.trimEnd();
}

function significant(value) {
  if (!Number.isFinite(value)) return String(value);
  if (Number.isInteger(value) && Math.abs(value) < 1e5) return String(value);
  return Math.abs(value) >= 1e5 || Math.abs(value) < 1e-3
    ? value.toExponential(2)
    : String(Number(value.toPrecision(4)));
}

export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/** The median of one figure of several results. */
export const medianOf = (results, key) => median(results.map(result => result[key]));

/** Median, lowest and highest of repeated measurements. */
export const spread = values => ({ value: median(values), low: Math.min(...values), high: Math.max(...values) });

/** The median, and where it lies with 90 %. */
export const medianInterval = values => bootstrapped(values, median);

/**
 * The geometric mean of all but the lowest and the highest fifth, likewise. For ratios of two measurements at different moments of a machine whose
 * speed changes by the second: it takes fewer rounds than their median to be as certain, and one round that went wrong does not move it.
 */
export const middleMeanInterval = values => bootstrapped(values, middleMean);

function middleMean(values) {
  const outer = Math.floor(values.length / 5);
  const middle = [...values].sort((a, b) => a - b).slice(outer, values.length - outer);
  return Math.exp(middle.reduce((sum, value) => sum + Math.log(value), 0) / middle.length);
}

/** A ratio's interval as what it adds to 1. */
export const added = ({ value, low, high }) => ({ value: value - 1, low: low - 1, high: high - 1 });

/** By bootstrap: the same of samples drawn with replacement. The seed is fixed: the same measurements give the same interval. */
function bootstrapped(values, statistic, draws = 2000) {
  const random = mulberry32(0x5eed);
  const drawn = Array.from({ length: draws }, () =>
    statistic(values.map(() => values[Math.floor(random() * values.length)])),
  ).sort((a, b) => a - b);
  return { value: statistic(values), low: drawn[Math.floor(draws * 0.05)], high: drawn[Math.ceil(draws * 0.95) - 1] };
}

/** A share, and where it lies with 90 % (Wilson). */
export function shareInterval(hits, of) {
  const z = 1.645;
  const value = hits / of;
  const centre = (value + (z * z) / (2 * of)) / (1 + (z * z) / of);
  const half = (z * Math.sqrt((value * (1 - value)) / of + (z * z) / (4 * of * of))) / (1 + (z * z) / of);
  return { value, low: centre - half, high: centre + half };
}

export function mulberry32(state) {
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

/**
 * Runs two programs in turn and compares them round by round, so that what else the machine does meets both. Each is a
 * function that gives {cpu, wall} in seconds and whatever else it likes. Ratios are peer / ours: above 1, ours is ahead.
 */
export async function interleaved({ ours, peer, rounds }) {
  const results = { ours: [], peer: [] };
  for (let round = 0; round < rounds; round++) {
    const order = round % 2 === 0 ? ['ours', 'peer'] : ['peer', 'ours'];
    for (const side of order) results[side].push(await { ours, peer }[side]());
  }
  return compared(results);
}

function compared({ ours, peer }) {
  const ratios = key => ours.map((our, round) => peer[round][key] / our[key]);
  return { cpu: medianInterval(ratios('cpu')), wall: medianInterval(ratios('wall')), ours, peer };
}

/**
 * The same for two programs that share a core at the same time, one such pair on every core: the scheduler changes between them every few
 * ms, so that whatever neighbours do to a core, they do to both. For CPU time only.
 */
export async function sharingCores({ ours, peer, rounds }) {
  const results = { ours: [], peer: [] };
  for (let round = 0; round < rounds; round += CORES.length) {
    const pairs = CORES.map(core => Promise.all([ours({ core }), peer({ core })]));
    for (const [our, their] of await Promise.all(pairs)) {
      results.ours.push(our);
      results.peer.push(their);
    }
  }
  return compared(results);
}

/** The variant that takes the least CPU time: that one is the peer. */
export async function fastestVariant(variants, run) {
  const least = new Map();
  for (let round = 0; round < 2; round++) {
    for (const variant of variants) {
      const { cpu } = await run(variant);
      least.set(variant, Math.min(cpu, least.get(variant) ?? Number.POSITIVE_INFINITY));
    }
  }
  return variants.reduce((best, variant) => (least.get(variant) < least.get(best) ? variant : best));
}

/** The cores a process may be bound to; where it cannot be, one that stands for all. */
const CORES = onPath('taskset') ? Array.from({ length: availableParallelism() }, (_, core) => core) : [undefined];

/** Runs a script in a fresh Node process, on one core if it says which; gives what its last line of output says in JSON. */
export async function inChild(file, args = [], { execArgv = [], core } = {}) {
  const path = file.startsWith('file:') ? fileURLToPath(file) : file;
  const [program, ...rest] = boundTo(core, [process.execPath, ...execArgv, path, ...args]);
  return inProcess(program, rest);
}

/** A command on some cores alone: `1`, `0-3`. On all of them where that is undefined. */
export const boundTo = (cores, command) => (cores === undefined ? command : ['taskset', '-c', cores, ...command]);

export function onPath(program) {
  return (process.env.PATH ?? '').split(delimiter).some(folder => existsSync(join(folder, program)));
}

/** The same for any program. */
export async function inProcess(program, args = [], env = process.env) {
  const last = (await printed(program, args, { env })).trimEnd().split('\n').at(-1);
  return last === '' ? undefined : JSON.parse(last);
}

/** What a program prints to its standard output. */
export async function printed(program, args, options = {}) {
  return (await promisify(execFile)(program, args.map(String), { maxBuffer: 2 ** 28, ...options })).stdout;
}

const PACKAGE = fileURLToPath(new URL('./node_modules/venturi', import.meta.url));
/** The command line of the packed package, and where a Python finds the probe in it. */
export const CLI = join(PACKAGE, 'dist/cli/main.js');
export const PROBE = join(PACKAGE, 'python');

/** What `venturi …` prints. */
export const venturi = (args, options) => printed(process.execPath, [CLI, ...args], options);

/** The environment of a Python that can import the probe. */
export const probeEnvironment = () => ({
  ...process.env,
  PYTHONPATH: [PROBE, process.env.PYTHONPATH].filter(Boolean).join(delimiter),
});

/** What `work` gives, so many times, one after the other. */
export async function repeated(times, work) {
  const results = [];
  for (let round = 0; round < times; round++) results.push(await work(round));
  return results;
}

/** The most resident memory of this process so far, in bytes. The kernel's own mark where there is one: getrusage counts in what the parent had before the exec. */
export function peakMemory() {
  if (!existsSync('/proc/self/status')) return process.resourceUsage().maxRSS * 1024;
  return Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync('/proc/self/status', 'utf8'))[1]) * 1024;
}

/** CPU seconds of this process so far, all threads. */
export function cpuSeconds() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}

/** Runs `work` and gives the CPU and wall seconds it took. */
export async function timed(work) {
  const cpu = cpuSeconds();
  const wall = performance.now();
  await work();
  return { cpu: cpuSeconds() - cpu, wall: (performance.now() - wall) / 1e3 };
}
