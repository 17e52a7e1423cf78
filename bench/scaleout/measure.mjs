/** Recordings with one worker and measurements with several, kept in a folder: what is there already is not measured again. */
import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { built, load, MOST, ROOM } from './configurations.mjs';
import { CpuTime } from './machine.mjs';
import { sideBySide } from './side-by-side.mjs';

/** The first steps are not recorded. The same steps are done without a profiler, too: their rate tells how long workers pause between two steps. */
const RECORDED = { warm_up: 10, steps: 110 };

/** Part of the machine's CPU time that does not belong to the cluster's processes, at most: the kernel's share in a cluster's traffic is below it. */
const MOST_OF_OTHERS = 0.25;

/** Lines of JSON in a file; none where it does not exist. */
const lines = file =>
  existsSync(file)
    ? readFileSync(file, 'utf8')
        .trimEnd()
        .split('\n')
        .map(line => JSON.parse(line))
    : [];

export class Measurements {
  #file;

  constructor(folder) {
    mkdirSync(folder, { recursive: true });
    this.folder = folder;
    this.#file = join(folder, 'measured.jsonl');
    this.all = lines(this.#file);
  }

  #keep(measurement) {
    this.all.push(measurement);
    appendFileSync(this.#file, `${JSON.stringify(measurement)}\n`);
  }

  /** Payload of a link of this bandwidth, in bit/s: the most that was measured. */
  payload(bitsPerSecond) {
    const found = this.all.filter(({ kind, of }) => kind === 'link' && of === bitsPerSecond);
    return Math.max(...found.map(({ payload }) => payload));
  }

  trainings(id) {
    return this.all.filter(({ kind, id: other }) => kind === 'training' && other === id);
  }

  /** Steps per second of what was recorded, without a profiler. */
  alone(id) {
    return this.all.find(({ kind, id: other }) => kind === 'alone' && other === id)?.steps_per_second;
  }

  /** Whether a recording was made, and its steps were done without a profiler too, while little else ran. Traces of another stay until it is made again. */
  isRecorded(id) {
    return ['alone', 'recording'].every(wanted =>
      this.all.some(({ kind, id: other }) => kind === wanted && other === id),
    );
  }

  /** Where the traces of a recording are. */
  recording(id) {
    return join(this.folder, 'recordings', id);
  }

  async link(cluster, bitsPerSecond) {
    if (this.all.some(({ kind, of }) => kind === 'link' && of === bitsPerSecond)) return;
    this.#keep({ kind: 'link', of: bitsPerSecond, payload: await cluster.bandwidth(bitsPerSecond) });
  }

  /** All that is not kept yet: both trainings of each recording, then every configuration once per round, so that what else happens to the machine happens to all. */
  missing(configurations, repeats) {
    const tasks = [];
    const task = (kept, name, job, room) => {
      const keep = trained => this.#keep({ ...kept, ...trained });
      if (!this.all.some(found => Object.entries(kept).every(([key, value]) => found[key] === value)))
        tasks.push({ name, job, load: room, keep });
    };
    // Sets share recordings: that of the first one is made on processes which its trainings need as well.
    const recordings = new Map();
    for (const { recording } of configurations) {
      if (!recordings.has(recording.id)) recordings.set(recording.id, recording.job);
    }
    // Nothing beside what all forecasts are made from: threads of others would delay its messages by milliseconds.
    for (const [id, job] of recordings) {
      task({ kind: 'alone', id }, `${id} alone`, { id, ...RECORDED, ...job }, ROOM);
      task({ kind: 'recording', id }, id, { id, ...RECORDED, ...job, traces: this.recording(id) }, ROOM);
    }
    for (let round = 1; round <= repeats; round++) {
      for (const { id, job } of configurations)
        task({ kind: 'training', id, round }, `${id} round ${round}`, { id, ...job, round }, load(job));
    }
    return tasks;
  }
}

/**
 * Measures what is missing. Processes are kept for as many kinds of trainings as there are clusters at a time: these trainings go side by side, in all rounds, before the next kinds
 * are started, for starting takes the whole machine. What fails is tried again when the bench is run again on the same folder.
 */
export async function measure(measurements, configurations, { repeats, isOver, tell }, clusters) {
  const jobs = configurations.map(({ job }) => job);
  for (const bandwidth of new Set(jobs.map(job => job.bits_per_second)))
    await measurements.link(clusters.all(jobs[0])[0], bandwidth);
  const missing = measurements.missing(configurations, repeats);
  const kinds = [...new Set(missing.map(({ job }) => runtime(job)))];
  for (const kind of kinds) {
    const ofRuntime = missing.filter(({ job }) => runtime(job) === kind);
    const all = clusters.all(ofRuntime[0].job);
    const keys = [...new Set(ofRuntime.map(({ job }) => built(job)))];
    for (let at = 0; at < keys.length && !isOver(); at += all.length)
      await stage(ofRuntime, keys.slice(at, at + all.length), all, { isOver, tell });
  }
}

/** Trainings of a few kinds, each on as many clusters as there are for it. */
async function stage(missing, keys, clusters, { isOver, tell }) {
  const lanes = clusters.map((cluster, at) => ({ cluster, key: keys[at % keys.length] }));
  const attempt = async ({ name, job, keep }, { cluster }) => {
    const before = cpuTime(clusters);
    try {
      const trained = await cluster.train(job);
      keep({ ...trained, ...undisturbed(cpuTime(clusters).since(before)) });
      tell(name);
    } catch (error) {
      tell(`${name} failed: ${error.message}`);
    }
  };
  const tasks = missing
    .filter(({ job }) => keys.includes(built(job)))
    .map(task => ({ key: built(task.job), load: task.load, work: lane => attempt(task, lane) }));
  // One after the other: all at once are no sooner ready.
  for (const { cluster, key } of lanes) {
    const { job } = missing.find(({ job }) => built(job) === key);
    if (job.mode !== 'allreduce') await cluster.prepare(job);
  }
  await sideBySide(tasks, lanes, ROOM, isOver);
}

const runtime = ({ mode }) => mode === 'allreduce';
const cpuTime = clusters => new CpuTime(clusters.map(({ child }) => child.pid));

function undisturbed({ machine, others }) {
  const percent = share => `${Math.round(share * 100)} %`;
  if (others > MOST_OF_OTHERS) throw new Error(`something else took ${percent(others)} of the machine`);
  if (machine > MOST) throw new Error(`${percent(machine)} of the machine were in use`);
  return { machine_cpu_share: machine, others_cpu_share: others };
}
