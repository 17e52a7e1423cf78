/** What recording adds to a pipeline, measured in two ways. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { median, medianOf, repeated, sharingCores, spread } from '../harness.mjs';

/** Events that come with chunks of work, and those that come with the clock: on a busy machine there are more of these. */
const BY_WORK = ['chunk', 'cpu', 'sample'];
const BY_TIME = ['window', 'tick', 'timer'];

/**
 * `value` is events x what one costs / CPU time of the pipeline: every event of a recording is timed by the thread's CPU clock
 * where it happens, so with the caches full of the pipeline's own data; `byWork` and `byTime` are
 * its parts. `paired` is the CPU time per element with recording
 * over that without, which holds everything: both at the same time on one core. `pairedHigh` is the
 * upper end of its 90 % interval. `run({ recording, watch, core })` runs the pipeline once in a process of its own.
 */
export async function recordingCase(report, folder, { name, run, elements, rounds, goal }) {
  const into = async (how = {}) => {
    const recording = join(folder, `run-${how.core ?? 'any'}.venturi`);
    try {
      return await run({ recording, ...how });
    } finally {
      rmSync(recording, { recursive: true, force: true });
    }
  };
  const paired = await sharingCores({ ours: run, peer: into, rounds });
  const cpu = medianOf(paired.ours, 'cpu');
  const watched = await repeated(5, () => into({ watch: 'watch' }));
  const sharesOf = kinds => watched.map(({ events }) => costOf(events, kinds) / elements / 1e9 / cpu);
  const shares = sharesOf([...BY_WORK, ...BY_TIME]);
  const last = watched.at(-1).events;
  report({
    case: `recording/${name}`,
    ...spread(shares),
    unit: 'added',
    byWork: median(sharesOf(BY_WORK)),
    byTime: median(sharesOf(BY_TIME)),
    paired: paired.cpu.value - 1,
    pairedLow: paired.cpu.low - 1,
    pairedHigh: paired.cpu.high - 1,
    wall: paired.wall.value - 1,
    eventsPerElement: Object.values(last).reduce((sum, { count }) => sum + count, 0) / elements,
    ...Object.fromEntries(Object.entries(last).map(([kind, { ns }]) => [`nsPer${capital(kind)}`, Math.round(ns)])),
    nsPerElementOff: 1e9 * cpu,
    goal,
    pairedGoal: 'pairedHigh <= 0.03',
  });
}

const costOf = (events, kinds) => kinds.reduce((sum, kind) => sum + events[kind].count * events[kind].ns, 0);
const capital = word => word[0].toUpperCase() + word.slice(1);
