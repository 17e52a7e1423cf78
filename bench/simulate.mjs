/**
 * The simulation of a training cluster: events per second of CPU, next to the same algorithm written plainly in JavaScript (the tests' reference
 * implementation) and in Python, and whether they come to the same throughput; memory against the number of steps; the time of a long simulation.
 * Every case runs in a fresh process; this file is also that process's program.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { clusterOf, compileSteps, STEP_SETTINGS, simulate as simulateCluster } from 'venturi/scaleout';
import { cpuSeconds, inChild, medianInterval, orAbsent, peakMemory, repeated, spread } from './harness.mjs';
import { BANDWIDTH, OVERHEAD, profileOf, WINDOW } from './simulate/model.mjs';

const REPETITIONS = 5;
/** Rounding errors grow with the number of events: equality is asked for while they are small. */
const EQUAL = 1e-9;
const SHORT = { steps: 20, warmUp: 5 };
/** Python takes long. It has no compiler to warm up either, so its time per event is set against that of our longer simulation. */
const SHORTEST = { steps: 4, warmUp: 1 };
const LONGER = { steps: 100, warmUp: 50 };

export default async function simulate(report) {
  const run = (role, options) => inChild(import.meta.url, [role, JSON.stringify(options)]);
  for (const [name, options] of [
    ['W8', { workers: 8, steps: 400, warmUp: 50 }],
    ['W64', { workers: 64, ...LONGER }],
    ['M4', { workers: 64, servers: 4, steps: 60, warmUp: 30 }],
  ]) {
    const rounds = await repeated(REPETITIONS, () => run('ours', options));
    report({
      case: `events-per-second/${name}`,
      ...spread(rounds.map(({ cpu, events }) => events / cpu)),
      unit: 'events/cpu-s',
      events: rounds[0].events,
      throughput: rounds[0].throughput,
      memory: Math.max(...rounds.map(({ memory }) => memory)),
    });
  }
  const folder = mkdtempSync(join(tmpdir(), 'venturi-naive-'));
  try {
    const naive = await naiveModule(folder);
    await orAbsent(report, 'vs-naive-js/W64', () =>
      compare(report, run, 'js', { workers: 64, ...SHORT, naive }, SHORT),
    );
    await orAbsent(report, 'vs-naive-python/W64', () =>
      compare(report, run, 'python', { workers: 64, ...SHORTEST }, LONGER),
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  const few = await run('ours', { workers: 8, steps: 200, warmUp: 50 });
  const many = await run('ours', { workers: 8, steps: 2000, warmUp: 50 });
  report({
    case: 'memory/2000-steps-over-200',
    value: many.memory / few.memory,
    unit: 'ratio',
    goal: '<= 1.1',
    memory: many.memory,
  });
  const long = await run('ours', { workers: 64, steps: 1000, warmUp: 50 });
  report({
    case: 'one-seed/W64-1000-steps',
    value: long.cpu,
    unit: 'cpu-s',
    goal: '<= 30',
    wall: long.wall,
    events: long.events,
    throughput: long.throughput,
    memory: long.memory,
  });
}

/** CPU time per event of a plain implementation over ours, and whether both say the same of the same simulation. */
async function compare(report, run, language, options, timed) {
  const ours = await run('ours', options);
  const rounds = await repeated(REPETITIONS, async () => ({
    ours: await run('ours', { ...options, ...timed }),
    theirs: await run(language, options),
  }));
  const perEvent = ({ cpu, events }) => cpu / events;
  const [{ theirs }] = rounds;
  const difference = Math.abs(ours.throughput / theirs.throughput - 1);
  if (ours.events !== theirs.events || difference > EQUAL) {
    throw new Error(`not the same simulation: ${JSON.stringify({ ours, theirs })}`);
  }
  report({
    case: `vs-naive-${language}/W64`,
    ...medianInterval(rounds.map(round => perEvent(round.theirs) / perEvent(round.ours))),
    unit: 'ratio',
    goal: language === 'js' ? '>= 8' : '>= 100',
    events: ours.events,
    'throughput-difference': difference,
    'their-events-per-second': 1 / perEvent(theirs),
  });
}

/** The reference implementation of the tests, as JavaScript. */
async function naiveModule(folder) {
  const outfile = join(folder, 'naive.mjs');
  await build({
    entryPoints: [fileURLToPath(new URL('../src/prediction/scaleout/reference.fixture.ts', import.meta.url))],
    bundle: true,
    format: 'esm',
    target: 'node20',
    outfile,
    logLevel: 'warning',
  });
  return pathToFileURL(outfile).href;
}

const settingsOf = ({ servers = 1 }) => ({ ...STEP_SETTINGS, servers, overhead: OVERHEAD });

const clusterFor = ({ workers, servers = 1 }) => clusterOf({ workers, servers, bandwidth: BANDWIDTH, window: WINDOW });

function timedRun(work) {
  const cpu = cpuSeconds();
  const wall = performance.now();
  const { throughput, events } = work();
  return {
    cpu: cpuSeconds() - cpu,
    wall: (performance.now() - wall) / 1e3,
    throughput,
    events,
    memory: peakMemory(),
  };
}

const ROLES = {
  ours({ steps, warmUp, ...options }) {
    const compiled = compileSteps(profileOf(), settingsOf(options));
    const cluster = clusterFor(options);
    return timedRun(() => simulateCluster(compiled, cluster, { steps, warmUp, seed: 1 }));
  },

  async js({ steps, warmUp, naive, ...options }) {
    const { referenceSimulation } = await import(naive);
    const profile = profileOf();
    return timedRun(() =>
      referenceSimulation(profile, settingsOf(options), clusterFor(options), { steps, warmUp, seed: 1 }),
    );
  },

  python({ steps, warmUp, ...options }) {
    const profile = profileOf();
    const compiled = compileSteps(profile, settingsOf(options));
    const cluster = clusterFor(options);
    const draws = Array.from({ length: options.workers }, () => []);
    // Longer, so that steps which are under way at the end are among them.
    const extent = { steps: steps + 2, warmUp, seed: 1 };
    simulateCluster(compiled, cluster, extent, {
      chunk() {},
      step: (worker, step) => draws[worker].push(step),
    });
    const given = { workers: options.workers, steps, warmUp, batchSize: profile.batchSize, draws, ...plain(compiled) };
    const script = fileURLToPath(new URL('./simulate/naive.py', import.meta.url));
    return JSON.parse(execFileSync('python3', [script], { input: JSON.stringify(given), maxBuffer: 2 ** 20 }));
  },
};

/** Compiled steps of one graph, as lists with names. */
function plain({ units, unit, bytes, waits, offsets, dependents, durations, most }) {
  const names = ['down', 'up', 'server', 'worker'];
  return {
    bandwidth: BANDWIDTH,
    window: WINDOW,
    ops: Array.from({ length: most }, (_, op) => ({
      unit: names[Math.min(unit[op], units.worker)],
      bytes: bytes[op],
      waits: waits[op],
      dependents: [...dependents.subarray(offsets[op], offsets[op + 1])],
    })),
    profile: Array.from({ length: durations.length / most }, (_, step) => [
      ...durations.subarray(step * most, (step + 1) * most),
    ]),
  };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [role, options] = process.argv.slice(2);
  process.stdout.write(JSON.stringify(await ROLES[role](JSON.parse(options))));
}
