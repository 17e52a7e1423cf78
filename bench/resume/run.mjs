/**
 * `node run.mjs save NAME INPUT BATCHES CHECKPOINT resumable|plain` runs to a batch and saves there; `node run.mjs resume CHECKPOINT` goes on and
 * stops at the first batch; `node run.mjs fresh NAME INPUT` stops at the first batch of all; `node run.mjs whole COUNT resumable|plain` runs
 * small elements to their end. Each says what CPU it took.
 */
import { createHash } from 'node:crypto';
import { statSync } from 'node:fs';
import { readCheckpoint, writeCheckpoint } from 'venturi/engine';
import { cpuSeconds } from '../harness.mjs';
import pipelines from './pipelines.mjs';
import small from './small.mjs';

const [role, ...args] = process.argv.slice(2);
const digest = batch => createHash('sha256').update(JSON.stringify(batch)).digest('hex');
const paramsOf = (name, input) => ({ name, ...(name === 'lines' ? { file: input } : { count: Number(input) }) });

async function firstOf(options) {
  const before = cpuSeconds();
  const began = performance.now();
  for await (const batch of pipelines.run(options)) {
    return { cpu: cpuSeconds() - before, wall: (performance.now() - began) / 1e3, batch: digest(batch) };
  }
  throw new Error('there was no batch');
}

async function save(name, input, batches, path, resumable) {
  const before = cpuSeconds();
  const run = pipelines.run({ params: paramsOf(name, input), resumable: resumable === 'resumable' });
  let seen = 0;
  let result;
  for await (const batch of run) {
    if (result !== undefined) return { ...result, batch: digest(batch) };
    if (++seen < Number(batches)) continue;
    const cpu = cpuSeconds() - before;
    writeCheckpoint(path, await run.save());
    result = { cpu, bytes: statSync(path).size };
  }
  throw new Error(`there were ${seen} batches only`);
}

async function whole(count, resumable) {
  const before = cpuSeconds();
  const began = performance.now();
  await small.run({ params: { count: Number(count) }, resumable: resumable === 'resumable' }).drain();
  return { cpu: (cpuSeconds() - before) / count, wall: (performance.now() - began) / 1e3 / count };
}

const ROLES = {
  save: () => save(...args),
  resume: () => firstOf({ resume: readCheckpoint(args[0]) }),
  fresh: () => firstOf({ params: paramsOf(...args) }),
  whole: () => whole(...args),
};
process.stdout.write(`${JSON.stringify(await ROLES[role]())}\n`);
process.exit(0);
