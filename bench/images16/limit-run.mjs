/**
 * `node limit-run.mjs JSON`: the limit. Threads make whole batches straight in shared memory; the main thread takes them in order and reads
 * every cache line, in place or (`copy`) after one copy. No graph, no epochs, no failures, no records.
 */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { Pace, paceOf } from './pace.mjs';
import { BATCH, FLOATS, tensor, touched } from './work.mjs';

/** Batches under way for each thread. */
const AHEAD = 2;

if (isMainThread) await consume(JSON.parse(process.argv[2]));
else produce(workerData);

function consume({ folder, lanes, seconds, copy }) {
  const paths = readdirSync(folder, { recursive: true }).filter(name => name.endsWith('.jpg'));
  const files = paths.map(name => join(folder, name)).sort();
  const slots = Array.from({ length: AHEAD * lanes }, () => new SharedArrayBuffer(BATCH * FLOATS * 4));
  const pace = new Pace(paceOf({ lanes, seconds }));
  const made = new Set();
  const idle = [];
  let [begun, taken, sum] = [0, 0, 0];
  const begin = worker => {
    if (begun - taken < slots.length) worker.postMessage(begun++);
    else idle.push(worker);
  };
  const take = () => {
    const shared = new Float32Array(slots[taken % slots.length]);
    sum += touched(copy ? shared.slice() : shared);
    taken++;
    if (pace.count()) {
      process.stdout.write(`${JSON.stringify({ ...pace.figures, sum })}\n`, () => process.exit(0));
    }
    if (idle.length > 0) begin(idle.shift());
  };
  for (let lane = 0; lane < lanes; lane++) {
    const worker = new Worker(new URL(import.meta.url), { workerData: { files, slots } });
    worker.on('message', number => {
      made.add(number);
      begin(worker);
      while (made.delete(taken)) take();
    });
    begin(worker);
  }
}

function produce({ files, slots }) {
  const int = below => Math.floor(Math.random() * below);
  parentPort.on('message', number => {
    const batch = new Float32Array(slots[number % slots.length]);
    for (let at = 0; at < BATCH; at++) {
      tensor(files[(number * BATCH + at) % files.length], int, batch.subarray(at * FLOATS, (at + 1) * FLOATS));
    }
    parentPort.postMessage(number);
  });
}
