/** Recordings with one worker and measurements with several, kept in a folder: what is there already is not measured again. */
import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

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

  /** Where the traces of a recording are. */
  recording(id) {
    return join(this.folder, 'recordings', id);
  }

  async link(cluster, bitsPerSecond, round) {
    if (this.all.some(({ kind, of, round: other }) => kind === 'link' && of === bitsPerSecond && other === round))
      return;
    this.#keep({ kind: 'link', of: bitsPerSecond, round, payload: await cluster.bandwidth(bitsPerSecond) });
  }

  async record(cluster, { id, job }) {
    if (this.all.some(({ kind, id: other }) => kind === 'recording' && other === id)) return;
    const alone = undisturbed(await cluster.train({ id, ...job, ...RECORDED }));
    const traces = this.recording(id);
    const recorded = undisturbed(await cluster.train({ id, ...job, ...RECORDED, traces }));
    this.#keep({ kind: 'alone', ...alone });
    this.#keep({ kind: 'recording', ...recorded });
  }

  async train(cluster, { id, job }, round) {
    if (this.trainings(id).some(({ round: other }) => other === round)) return;
    this.#keep({ kind: 'training', ...undisturbed(await cluster.train({ id, ...job, round })) });
  }
}

function undisturbed(trained) {
  const others = trained.machine_cpu_share - trained.cpu_share;
  if (others <= MOST_OF_OTHERS) return trained;
  throw new Error(`something else took ${Math.round(others * 100)} % of the machine`);
}

/** All recordings, then every configuration once per round, so that what else happens to the machine happens to all. `clusterOf` opens what a mode needs. */
export async function measure(measurements, configurations, repeats, clusterOf, tell) {
  const recordings = new Map();
  for (const { recording } of configurations) {
    if (!recordings.has(recording.id)) recordings.set(recording.id, recording);
  }
  const attempt = async (name, work) => {
    try {
      await work();
      tell(name);
    } catch (error) {
      // It is tried again when the bench is run again on the same folder.
      tell(`${name} failed: ${error.message}`);
    }
  };
  const bandwidths = new Set(configurations.map(({ job }) => job.bits_per_second));
  for (let round = 1; round <= repeats; round++) {
    for (const bandwidth of bandwidths) await measurements.link(clusterOf(configurations[0].job), bandwidth, round);
    if (round === 1) {
      for (const recording of recordings.values()) {
        await attempt(recording.id, () => measurements.record(clusterOf(recording.job), recording));
      }
    }
    for (const configuration of configurations) {
      const { id, job } = configuration;
      await attempt(`${id} round ${round}`, () => measurements.train(clusterOf(job), configuration, round));
    }
  }
}
