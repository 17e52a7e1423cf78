/**
 * Ends processes in the middle of their work, in many ways in turn and at random moments, and looks at how each died: `--rounds 500 --seed 1
 * --at-once 2`, and `--only 'end a lane'` for one way alone. A round is a process of its own that runs images, text, a cache, awaited calls and a file that is written, in seven threads, recorded or not;
 * then a lane is ended, exits or throws, the run is stopped, aborted or broken off, the process leaves, or gets a signal, as a program and as `venturi run`. What each of them
 * must end with is told below; all else is unexplained, and kept with its output in the folder that is told.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { makeImages } from 'venturi/engine';
import { CLI, mulberry32, option } from './harness.mjs';

const ROUND = fileURLToPath(new URL('./chaos/round.mjs', import.meta.url));
const WORK = fileURLToPath(new URL('./chaos/work.mjs', import.meta.url));
/** Nothing takes this long, however busy the machine: it hangs. */
const HANGS_MS = 120_000;
/** In which signals come, from the first element on. */
const WINDOW_MS = 400;

const ended = (status, code) => result =>
  result.code === 0 && result.last?.ended === status && result.last.code === code;
const either =
  (...checks) =>
  result =>
    checks.some(check => check(result));
const left = code => result => result.code === code && result.last?.begun === true;
const killed = signal => result => result.signal === signal;
const quiet = result => result.stderr === '';
const and =
  (...checks) =>
  result =>
    checks.every(check => check(result));

/** What a round may do, and what it must end with. */
const ACTIONS = {
  complete: { expects: and(ended('completed'), quiet) },
  stop: { expects: and(ended('stopped'), quiet) },
  break: { expects: and(ended('stopped'), quiet) },
  abort: { expects: and(ended('stopped'), quiet) },
  // Another thread takes the place of one that died, where it can take up the work.
  'end a lane': { expects: and(either(ended('stopped'), ended('failed', 'VENTURI_WORKER_DIED')), quiet) },
  'exit in a lane': { expects: and(either(ended('completed'), ended('failed', 'VENTURI_WORKER_DIED')), quiet) },
  'throw in a function': { expects: and(ended('failed', 'VENTURI_USER_FUNCTION'), quiet) },
  'throw in a timer': { expects: and(ended('failed', 'VENTURI_UNCAUGHT'), quiet) },
  'floating rejection': { expects: and(ended('failed', 'VENTURI_UNCAUGHT'), quiet) },
  exit: { expects: and(left(7), quiet) },
  'uncaught error': { expects: and(left(1), result => /RangeError: chaos/.test(result.stderr)) },
  SIGINT: { signal: 'SIGINT', expects: and(killed('SIGINT'), quiet) },
  SIGTERM: { signal: 'SIGTERM', expects: and(killed('SIGTERM'), quiet) },
  SIGKILL: { signal: 'SIGKILL', expects: and(killed('SIGKILL'), quiet) },
  'venturi run, SIGINT': { signal: 'SIGINT', cli: true, expects: and(result => result.code === 130, plain) },
  'venturi run, SIGTERM': { signal: 'SIGTERM', cli: true, expects: and(result => result.code === 143, plain) },
  'venturi run, SIGKILL': { signal: 'SIGKILL', cli: true, expects: killed('SIGKILL') },
};

/** It may say what it did; not that something went wrong inside it. */
function plain({ stderr }) {
  return !/\n {4}at |terminate called|FATAL|Check failed|Assertion|Segmentation|bug in Venturi/.test(stderr);
}

export default async function chaos(report, { args }) {
  const rounds = Number(option(args, 'rounds') ?? 500);
  const seed = Number(option(args, 'seed') ?? 1);
  const atOnce = Number(option(args, 'at-once') ?? 2);
  const folder = mkdtempSync(join(tmpdir(), 'venturi-chaos-'));
  const kept = join(folder, 'unexplained');
  mkdirSync(kept);
  await makeImages(join(folder, 'images'), 20, { width: 500, height: 375, seed: 1 });
  writeFileSync(join(folder, 'words.txt'), 'some words of text to look up\n'.repeat(300));
  const random = mulberry32(seed);
  const only = option(args, 'only');
  const names = Object.keys(ACTIONS).filter(name => only === undefined || name === only);
  const plans = Array.from({ length: rounds }, (_, round) => ({
    round,
    action: names[round % names.length],
    roll: random(),
  }));
  const tally = Object.fromEntries(names.map(name => [name, { rounds: 0, unexplained: 0 }]));
  const began = performance.now();
  const seconds = () => (performance.now() - began) / 1e3;
  let done = 0;
  const next = plans[Symbol.iterator]();
  const one = async () => {
    for (const plan of next) {
      const result = await played(folder, plan);
      tally[plan.action].rounds++;
      if (++done % 50 === 0)
        process.stderr.write(`${done} of ${rounds} rounds of seed ${seed}, ${seconds().toFixed()} s\n`);
      if (ACTIONS[plan.action].expects(result)) continue;
      tally[plan.action].unexplained++;
      writeFileSync(join(kept, `round-${plan.round}.json`), JSON.stringify({ seed, ...plan, ...result }, undefined, 1));
    }
  };
  await Promise.all(Array.from({ length: atOnce }, one));
  for (const [action, { rounds: count, unexplained }] of Object.entries(tally)) {
    report({ case: action, value: unexplained, unit: 'unexplained', rounds: count });
  }
  const unexplained = Object.values(tally).reduce((sum, each) => sum + each.unexplained, 0);
  report({
    case: 'all',
    value: unexplained,
    unit: 'unexplained',
    rounds,
    seed,
    seconds: seconds(),
    goal: '0',
    ...(unexplained > 0 && { kept }),
  });
  if (unexplained === 0) rmSync(folder, { recursive: true, force: true });
  else process.exitCode = 1;
}

/** One round: how its process ended, what it said, and the last it told of its run. */
async function played(folder, { round, action, roll }) {
  const { signal, cli } = ACTIONS[action];
  const out = join(folder, `round-${round}`);
  mkdirSync(out);
  const params = [`folder=${folder}`, `out=${out}`, 'passes=2000'].flatMap(param => ['--param', param]);
  const command = cli
    ? [CLI, 'run', WORK, ...params, '--record', join(out, 'round')]
    : [ROUND, folder, out, action, String(roll)];
  const child = spawn(process.execPath, command, { stdio: ['ignore', 'pipe', 'pipe'], cwd: out });
  const output = { stdout: '', stderr: '' };
  let begun = false;
  const begin = () => {
    begun = true;
    if (signal !== undefined) setTimeout(() => child.kill(signal), roll * WINDOW_MS);
  };
  for (const stream of ['stdout', 'stderr']) {
    child[stream].on('data', text => {
      output[stream] += text;
      if (!begun && !cli && output.stdout.includes('begun')) begin();
    });
  }
  // The command says nothing of its first element; its recording appears with the lanes.
  const watch = cli ? setInterval(() => !begun && existsSync(join(out, 'round.venturi')) && begin(), 20) : undefined;
  let hangs = false;
  const patience = setTimeout(() => {
    hangs = true;
    child.kill('SIGKILL');
  }, HANGS_MS);
  const [code, killedBy] = await once(child, 'close');
  clearTimeout(patience);
  clearInterval(watch);
  rmSync(out, { recursive: true, force: true });
  return { code, signal: hangs ? 'it hung' : killedBy, ...output, last: lastOf(output.stdout) };
}

function lastOf(stdout) {
  const line = stdout.trimEnd().split('\n').at(-1);
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
