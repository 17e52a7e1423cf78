/**
 * `node small-peer.mjs NAME COUNT one-thread|two-threads`: the same work written with a peer. In two threads its source
 * and steps are in a worker, as ours are, and batches come to the main thread as messages, consumed by `for await`.
 */
import { on } from 'node:events';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { BATCH, increment, isEven, summing, triple } from './small-work.mjs';

/** Elements that have left the source. One element in two is kept, so a source that is never ahead stands here. */
let passed = taken => 2 * BATCH * taken;

/** Object streams with one Transform per step. `highWaterMark` undefined: Node's own default. */
async function transforms(count, take, highWaterMark) {
  const { Readable, Transform } = await import('node:stream');
  const { pipeline } = await import('node:stream/promises');
  const options = { objectMode: true, highWaterMark };
  let next = 0;
  let batch = [];
  passed = () => next;
  await pipeline(
    new Readable({
      ...options,
      read() {
        while (next < count) if (!this.push(next++)) return;
        this.push(null);
      },
    }),
    new Transform({ ...options, transform: (x, _, done) => done(null, triple(x)) }),
    new Transform({ ...options, transform: (x, _, done) => (isEven(x) ? done(null, x) : done()) }),
    new Transform({ ...options, transform: (x, _, done) => done(null, increment(x)) }),
    new Transform({
      ...options,
      transform(x, _, done) {
        batch.push(x);
        if (batch.length < BATCH) return done();
        const whole = batch;
        batch = [];
        return done(null, whole);
      },
      flush: done => (batch.length > 0 ? done(null, batch) : done()),
    }),
    async batches => {
      for await (const whole of batches) take(whole);
    },
  );
}

/** The operators that Node's streams bring along. There is none for batches. */
async function streamOperators(count, take) {
  const { Readable } = await import('node:stream');
  let next = 0;
  let batch = [];
  passed = () => next;
  const source = new Readable({
    objectMode: true,
    read() {
      while (next < count) if (!this.push(next++)) return;
      this.push(null);
    },
  });
  for await (const x of source.map(triple).filter(isEven).map(increment)) {
    batch.push(x);
    if (batch.length < BATCH) continue;
    take(batch);
    batch = [];
  }
  if (batch.length > 0) take(batch);
}

async function rxjs(count, take) {
  const { bufferCount, filter, map, range } = await import('rxjs');
  range(0, count).pipe(map(triple), filter(isEven), map(increment), bufferCount(BATCH)).subscribe(take);
}

function handLoop(count, take) {
  let batch = [];
  for (let index = 0; index < count; index++) {
    const x = triple(index);
    if (!isEven(x)) continue;
    batch.push(increment(x));
    if (batch.length < BATCH) continue;
    take(batch);
    batch = [];
  }
  if (batch.length > 0) take(batch);
}

function handLoopInlined(count, take) {
  let batch = [];
  for (let index = 0; index < count; index++) {
    const x = index * 3;
    if ((x & 1) !== 0) continue;
    batch.push(x + 1);
    if (batch.length < BATCH) continue;
    take(batch);
    batch = [];
  }
  if (batch.length > 0) take(batch);
}

const peers = {
  transforms,
  'transforms-buffer-1024': (count, take) => transforms(count, take, 1024),
  'stream-operators': streamOperators,
  rxjs,
  'hand-loop': handLoop,
  'hand-loop-inlined': handLoopInlined,
};

if (isMainThread) {
  const [name, count, threads] = [process.argv[2], Number(process.argv[3]), process.argv[4]];
  // Whatever the worker is ahead by was paid for before the first batch arrived; it cannot be seen from here, and is
  // counted as not yet done, which is in the peer's favour.
  const { take, result } = summing(count, taken => passed(taken));
  if (threads === 'one-thread') {
    await peers[name](count, take);
  } else {
    await consume(new Worker(new URL(import.meta.url), { workerData: { name, count } }), take);
  }
  process.stdout.write(`${JSON.stringify(result())}\n`);
} else {
  const { name, count } = workerData;
  await peers[name](count, batch => parentPort.postMessage(batch));
  parentPort.postMessage(undefined);
}

/** A function of its own, as on our side: at the top of the module V8 would compile the whole script with the loop. */
async function consume(worker, take) {
  for await (const [batch] of on(worker, 'message', { close: ['exit'] })) {
    if (batch === undefined) return;
    take(batch);
  }
}
