/**
 * What it costs to resume a run, and to be able to. A case runs to some batch and is saved there; then other processes resume it and stop at the
 * next one. `value` is the CPU time they take beyond that of a run which starts at its beginning, over the CPU time in which the
 * position had been reached: the share that is done again. The peer is the same without `resumable`, which goes
 * through everything again. `added` is what `resumable` adds to the CPU time of small elements.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { added, inChild, inFolder, interleaved, median, medianOf, spread } from './harness.mjs';

const RUN = new URL('./resume/run.mjs', import.meta.url).href;
const ROUNDS = 3;
const BATCHES = 5_000;
const LINES = 200_000;
const SMALL = 10_000_000;

export default async function resume(report) {
  await inFolder(async folder => {
    const file = join(folder, 'lines.txt');
    writeFileSync(file, Array.from({ length: LINES }, (_, at) => `line ${at} of a file of text\n`).join(''));
    for (const [name, input] of [
      ['shuffled', 1_000_000],
      ['lines', file],
      ['joined', 1_000_000],
    ]) {
      report(await again(name, input, join(folder, 'checkpoint.json')));
    }
    report(await addedBySnapshots());
  });
}

async function again(name, input, checkpoint) {
  const shares = { resumable: [], plain: [] };
  const [walls, bytes] = [[], []];
  for (let round = 0; round < ROUNDS; round++) {
    const fresh = await inChild(RUN, ['fresh', name, input]);
    for (const how of round % 2 === 0 ? ['resumable', 'plain'] : ['plain', 'resumable']) {
      const saved = await inChild(RUN, ['save', name, input, BATCHES, checkpoint, how]);
      const resumed = await inChild(RUN, ['resume', checkpoint]);
      if (resumed.batch !== saved.batch) throw new Error(`${name} went on with another batch`);
      shares[how].push((resumed.cpu - fresh.cpu) / saved.cpu);
      if (how === 'plain') continue;
      walls.push(resumed.wall);
      bytes.push(saved.bytes);
    }
  }
  return {
    case: `again/${name}`,
    ...spread(shares.resumable),
    unit: 'of the CPU',
    withoutSnapshots: median(shares.plain),
    firstBatchSeconds: median(walls),
    checkpointBytes: median(bytes),
  };
}

async function addedBySnapshots() {
  const whole = how => inChild(RUN, ['whole', SMALL, how]);
  const { cpu, ours, peer } = await interleaved({
    ours: () => whole('plain'),
    peer: () => whole('resumable'),
    rounds: 7,
  });
  return {
    case: 'added/small',
    ...added(cpu),
    unit: 'added',
    nsPerElementPlain: 1e9 * medianOf(ours, 'cpu'),
    nsPerElementResumable: 1e9 * medianOf(peer, 'cpu'),
  };
}
