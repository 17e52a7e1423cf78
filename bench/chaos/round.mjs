/**
 * `node round.mjs FOLDER OUT ACTION ROLL`: runs the work and does something to it at a moment that ROLL, from 0 to 1, tells. Says on
 * stdout when the run has begun, and at the end how it ended.
 */
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import threads from 'node:worker_threads';

const [folder, out, action, rolled] = process.argv.slice(2);
const roll = Number(rolled);
/** Passes of the longest work, which nothing but an end from outside ends in time. */
const PASSES = 2_000;
/** In which the moment lies, from the first element on. */
const WINDOW_MS = 400;
const INSIDE = ['exit in a lane', 'throw in a function', 'throw in a timer', 'floating rejection'];

/** Every thread of the run, to be ended from outside. */
const lanes = new Set();
const { Worker } = threads;
threads.Worker = class extends Worker {
  constructor(...parts) {
    super(...parts);
    lanes.add(this);
    this.on('exit', () => lanes.delete(this));
  }
};
syncBuiltinESMExports();
const { default: work } = await import('./work.mjs');
const { recordRun } = await import('venturi/record');

const say = facts => process.stdout.write(`${JSON.stringify(facts)}\n`);
const abort = new AbortController();
const params = {
  folder,
  out,
  passes: action === 'complete' || INSIDE.includes(action) ? 3 : PASSES,
  act: INSIDE.includes(action) ? action : 'none',
  at: Math.floor(roll * 60),
};
const options = { params, signal: abort.signal };
// Every other one is recorded.
const run = Math.floor(roll * 1e6) % 2 === 0 ? work.run(options) : recordRun(join(out, 'round'), work, options);

const actions = {
  stop: () => void run.stop(),
  abort: () => abort.abort(),
  'end a lane': () => void [...lanes][Math.floor(roll * 7919) % lanes.size]?.terminate(),
  exit: () => process.exit(7),
  'uncaught error': () => {
    throw new RangeError('chaos');
  },
};

let wantsToBreak = false;
function strike() {
  if (action === 'break') wantsToBreak = true;
  actions[action]?.();
  if (action !== 'end a lane') return;
  // Another takes its place; then the work is ended in good order.
  setTimeout(() => void run.stop(), 100);
}

try {
  let begun = false;
  for await (const _ of run) {
    if (!begun) {
      begun = true;
      say({ begun });
      setTimeout(strike, roll * WINDOW_MS);
    }
    if (wantsToBreak) break;
  }
  const { status } = await run.finished;
  say({ ended: status });
} catch (error) {
  say({ ended: 'failed', code: error.code, message: error.message });
}
