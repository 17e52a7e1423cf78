/** Recordings with one worker and measurements with several, kept in a folder: what is there already is not measured again. */
import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { built } from './configurations.mjs';
import { CpuTime } from './machine.mjs';

/** The first steps are not recorded. The same steps are done without a profiler, too: their rate tells how long workers pause between two steps. */
const RECORDED = { warm_up: 10, steps: 110 };

/** Part of the machine's CPU time that does not belong to the cluster's processes, at most: the kernel's share in a cluster's traffic is below it. */
const MOST_OF_OTHERS = 0.25;
/** Part of the machine's CPU time that is used, at most: threads that wait for a core make steps longer than those that were recorded. */
const MOST_USED = 0.8;

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

  /** All that is not kept yet: both trainings of each recording, then every configuration once per round. */
  missing(configurations, repeats) {
    const tasks = [];
    const task = (kept, name, job) => {
      const keep = trained => this.#keep({ ...kept, ...trained });
      if (!this.all.some(found => Object.entries(kept).every(([key, value]) => found[key] === value)))
        tasks.push({ name, job, keep });
    };
    // Sets share recordings: that of the first one is made on processes which its trainings need as well.
    const recordings = new Map();
    for (const { recording } of configurations) {
      if (!recordings.has(recording.id)) recordings.set(recording.id, recording.job);
    }
    for (const [id, job] of recordings) {
      task({ kind: 'alone', id }, `${id} alone`, { id, ...RECORDED, ...job });
      task({ kind: 'recording', id }, id, { id, ...RECORDED, ...job, traces: this.recording(id) });
    }
    for (let round = 1; round <= repeats; round++) {
      for (const { id, job } of configurations)
        task({ kind: 'training', id, round }, `${id} round ${round}`, { id, ...job, round });
    }
    return tasks;
  }
}

/**
 * Measures what is missing, one after the other: threads of a training beside it would delay its messages by milliseconds. Processes are kept for one kind of training at a time, in all its
 * rounds, for starting them takes longer than to train. What fails is tried again when the bench is run again on the same folder.
 */
export async function measure(measurements, configurations, { repeats, isOver, tell }, clusters) {
  const jobs = configurations.map(({ job }) => job);
  for (const bandwidth of new Set(jobs.map(job => job.bits_per_second)))
    await measurements.link(clusters.of(jobs[0]), bandwidth);
  const missing = measurements.missing(configurations, repeats);
  for (const kind of new Set(missing.map(({ job }) => built(job)))) {
    const ofKind = missing.filter(({ job }) => built(job) === kind);
    const [{ job }] = ofKind;
    if (isOver()) return;
    const cluster = clusters.of(job);
    if (!(await prepared(cluster, job, tell))) continue;
    for (const task of ofKind) {
      if (isOver()) return;
      await attempt(task, cluster, tell);
    }
  }
}

/** Whether the processes of a training run. Those of an all-reduce are started for each. */
async function prepared(cluster, job, tell) {
  if (job.mode === 'allreduce') return true;
  try {
    await cluster.prepare(job);
    return true;
  } catch (error) {
    tell(`${job.model}, ${job.mode ?? 'async'}: processes did not start: ${error.message}`);
    return false;
  }
}

async function attempt({ name, job, keep }, cluster, tell) {
  const before = cpuTime(cluster);
  try {
    const trained = await cluster.train(job);
    keep({ ...trained, ...undisturbed(cpuTime(cluster).since(before)) });
    tell(name);
  } catch (error) {
    tell(`${name} failed: ${error.message}`);
  }
}

const cpuTime = ({ child }) => new CpuTime([child.pid]);

function undisturbed({ machine, others }) {
  const percent = share => `${Math.round(share * 100)} %`;
  if (others > MOST_OF_OTHERS) throw new Error(`something else took ${percent(others)} of the machine`);
  if (machine > MOST_USED) throw new Error(`${percent(machine)} of the machine were in use`);
  return { machine_cpu_share: machine, others_cpu_share: others };
}
