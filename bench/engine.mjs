/**
 * The engine against its peers: small elements, images and text, what recording adds, what a second thread brings, what a
 * memory budget holds. A word behind the bench's name, `small`, `images` or `text`, leaves out the other groups. Every repetition has a process to itself, and the two sides of a comparison take turns.
 *
 * Small elements are compared by the CPU time of the whole process, all threads, between the first batch and the last of
 * 5 M elements, V8's compilation included, per element of the source that passed in that time. Recording is on. Library
 * peers do the same work as ours: source and steps in a worker, batches to the main thread as messages; a hand-written
 * loop does it in one thread and is the limit. `otherThreads` is the ratio to the peer the other way round.
 * `afterWarmUp` compares second halves, ours of a longer run, when V8 has compiled what it will compile. `withStartUp`
 * counts everything from before the modules are imported until the run has ended.
 */
import { rmSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { imageCases } from './engine/image-cases.mjs';
import { textCases } from './engine/text-cases.mjs';
import {
  added,
  fastestVariant,
  inChild,
  inFolder,
  interleaved,
  median,
  medianOf,
  repeated,
  spread,
} from './harness.mjs';

const SMALL_ELEMENTS = 5_000_000;
const LONG_ELEMENTS = 40_000_000;
const HEAVY_ELEMENTS = 3_000;
const LARGE_ELEMENTS = 10_000;
const BUDGET = 64e6;
/** Beyond this share of their running time spent queueing for a core, lanes had no two cores to run on. */
const MOST_QUEUED = 0.05;

const SMALL_RUN = new URL('./engine/small-run.mjs', import.meta.url).href;
const SMALL_PEER = new URL('./engine/small-peer.mjs', import.meta.url).href;
const HEAVY_RUN = new URL('./engine/heavy-run.mjs', import.meta.url).href;
const LARGE_RUN = new URL('./engine/large-run.mjs', import.meta.url).href;

export default async function engine(report, { args }) {
  const [, group = ''] = args.filter(arg => !arg.startsWith('-'));
  if (group === '' || group === 'small') await smallCases(report);
  await inFolder(async folder => {
    if (group === '' || group === 'images') await imageCases(report, folder);
    if (group === '' || group === 'text') await textCases(report, folder);
  });
}

async function smallCases(report) {
  await inFolder(async folder => {
    await small(report, folder, 'node-streams', {
      peers: ['transforms', 'transforms-buffer-1024', 'stream-operators'],
      // The slowest takes 4 µs for an element.
      trial: 1_000_000,
      threads: 'two-threads',
      rounds: 9,
      goal: '>= 15',
    });
    await small(report, folder, 'rxjs', { peers: ['rxjs'], threads: 'two-threads', rounds: 11, goal: '>= 6' });
    await small(report, folder, 'hand-loop', {
      peers: ['hand-loop', 'hand-loop-inlined'],
      trial: SMALL_ELEMENTS,
      threads: 'one-thread',
      rounds: 15,
      goal: '>= 0.5',
    });
    await recording(report, folder);
    await threads(report, folder);
  });
  await memory(report);
}

async function small(report, folder, name, { peers, trial, threads, rounds, goal }) {
  const peer =
    peers.length === 1
      ? peers[0]
      : await fastestVariant(peers, name => inChild(SMALL_PEER, [name, trial, 'one-thread']));
  const peerIn = company => inChild(SMALL_PEER, [peer, SMALL_ELEMENTS, company]);
  const {
    cpu,
    wall,
    ours,
    peer: theirs,
  } = await interleaved({
    ours: () => recordedSmall(folder, SMALL_ELEMENTS),
    peer: () => peerIn(threads),
    rounds,
  });
  const other = threads === 'one-thread' ? 'two-threads' : 'one-thread';
  const [long, others] = [[], []];
  for (let round = 0; round < 3; round++) {
    long.push(await recordedSmall(folder, LONG_ELEMENTS));
    others.push(await peerIn(other));
  }
  report({
    case: `small/${name}`,
    ...cpu,
    unit: 'x CPU',
    wall: wall.value,
    peerThreads: threads,
    otherThreads: medianOf(others, 'cpu') / medianOf(ours, 'cpu'),
    afterWarmUp: medianOf(theirs, 'secondHalfCpu') / medianOf(long, 'secondHalfCpu'),
    withStartUp: median(ours.map(({ totalCpu }, round) => theirs[round].totalCpu / totalCpu)),
    startUpCpuMs: 1e3 * medianOf(ours, 'startUpCpu'),
    peer,
    nsPerElementOurs: 1e9 * medianOf(ours, 'cpu'),
    nsPerElementPeer: 1e9 * medianOf(theirs, 'cpu'),
    nsPerElementOursAfterWarmUp: 1e9 * medianOf(long, 'secondHalfCpu'),
    elementsPerSecondOurs: 1 / medianOf(ours, 'wall'),
    goal,
  });
}

const plainSmall = count => inChild(SMALL_RUN, [count]);
const recordedSmall = (folder, count) => recorded(folder, run => inChild(SMALL_RUN, [count, run]));

const later = ({ secondHalfCpu, wall }) => ({ cpu: secondHalfCpu, wall });

/** What recording adds to the CPU time of an element. */
async function recording(report, folder) {
  const {
    cpu,
    wall,
    ours: off,
    peer: on,
  } = await interleaved({
    ours: () => plainSmall(SMALL_ELEMENTS),
    peer: () => recordedSmall(folder, SMALL_ELEMENTS),
    rounds: 25,
  });
  const long = await interleaved({
    ours: async () => later(await plainSmall(LONG_ELEMENTS)),
    peer: async () => later(await recordedSmall(folder, LONG_ELEMENTS)),
    rounds: 9,
  });
  report({
    case: 'recording/small',
    ...added(cpu),
    unit: 'added',
    wall: wall.value - 1,
    afterWarmUp: long.cpu.value - 1,
    withStartUp: median(off.map(({ totalCpu }, round) => on[round].totalCpu / totalCpu)) - 1,
    startUpCpuMs: 1e3 * (medianOf(on, 'startUpCpu') - medianOf(off, 'startUpCpu')),
    nsPerElementOn: 1e9 * medianOf(on, 'cpu'),
    nsPerElementOff: 1e9 * medianOf(off, 'cpu'),
    nsPerElementOnAfterWarmUp: 1e9 * medianOf(long.peer, 'cpu'),
    nsPerElementOffAfterWarmUp: 1e9 * medianOf(long.ours, 'cpu'),
    goal: '<= 0.05',
  });
}

/** The one case that rests on wall time: what a second thread is for. */
async function threads(report, folder) {
  const name = 'threads/2-vs-1';
  if (availableParallelism() < 2) {
    report({ case: name, absent: 'this process may use one core' });
    return;
  }
  const lanes = count => recorded(folder, run => inChild(HEAVY_RUN, [HEAVY_ELEMENTS, count, run]));
  const { wall, ours: two, peer: one } = await interleaved({ ours: () => lanes(2), peer: () => lanes(1), rounds: 5 });
  if (new Set([...one, ...two].map(({ sum }) => sum)).size !== 1) throw new Error('two threads gave another result');
  const [{ coresUsable }] = two;
  if (coresUsable < 2) {
    report({ case: name, absent: `this process may use ${coresUsable} cores` });
    return;
  }
  const queued = Math.max(medianOf(one, 'queued'), medianOf(two, 'queued'));
  report({
    case: name,
    ...wall,
    unit: 'x wall',
    wall: wall.value,
    withStartUp: median(two.map(({ totalWall }, round) => one[round].totalWall / totalWall)),
    ...(queued >= MOST_QUEUED && { inconclusive: `run-queue delay ${(100 * queued).toFixed(1)} %` }),
    queuedOne: medianOf(one, 'queued'),
    queuedTwo: medianOf(two, 'queued'),
    // Above 1 the two threads were in each other's way: shared caches, one core's two halves, a slower clock.
    cpuTwoVsOne: medianOf(two, 'cpu') / medianOf(one, 'cpu'),
    nsPerElementOurs: 1e9 * medianOf(two, 'cpu'),
    elementsPerSecondOurs: 1 / medianOf(two, 'wall'),
    goal: '>= 1.7',
  });
}

/** The highest resident memory over a budget for channels, above the same pipeline at rest with all its threads. */
async function memory(report) {
  const runs = await repeated(5, () => inChild(LARGE_RUN, [LARGE_ELEMENTS, BUDGET]));
  report({
    case: 'memory/over-budget-mb',
    ...spread(runs.map(({ peak, baseline }) => (peak - baseline - BUDGET) / 1e6)),
    unit: 'MB',
    wall: medianOf(runs, 'wall'),
    cpu: medianOf(runs, 'cpu'),
    peakMb: medianOf(runs, 'peak') / 1e6,
    baselineMb: medianOf(runs, 'baseline') / 1e6,
    budgetMb: BUDGET / 1e6,
    goal: '<= 20',
  });
}

/** Gives `work` a folder to record into, and removes what it recorded. */
async function recorded(folder, work) {
  const run = join(folder, 'run.venturi');
  try {
    return await work(run);
  } finally {
    rmSync(run, { recursive: true, force: true });
  }
}
