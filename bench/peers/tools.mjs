/** Each peer as its guide starts it: what it takes, what it says, and the setting it finds, if it looks for one. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { option } from '../harness.mjs';
import { PROGRAMS, venturiJson } from '../wild/running.mjs';
import { instrumented, linesOf } from './edits.mjs';

const WORKLOAD = fileURLToPath(new URL('./workload.py', import.meta.url));
/** About as many as a pass of the programs has; its own default is 110. */
const LOADTUNE_STEPS = ['--steps', '24', '--warmup', '6'];

/** TraceML's two, so that nobody else on the machine has them. */
const port = 20_000 + (process.pid % 10_000);
const PORTS = ['--aggregator-port', String(port), '--master-port', String(port + 10_000)];

/** What the words of a peer come to: the loader, or the step. */
const SIDES = {
  'preparation-bound': 'loader',
  'order-bound': 'loader',
  'transfer-bound': 'loader',
  'start-bound': 'loader',
  'consumer-bound': 'step',
  INPUT_BOUND: 'loader',
  COMPUTE_BOUND: 'step',
  RESIDUAL_HEAVY: 'step',
  'input-bound': 'loader',
  'compute-bound': 'step',
};

export const sideOf = verdict => SIDES[verdict] ?? 'none';

/** Lines to write, the verdict in the peer's words, runs that were needed for a setting, seconds for all, and the run itself. */
export const TOOLS = {
  async venturi({ runner, program, folder, python }) {
    const run = await runner.recorded(program);
    const diagnosis = await venturiJson('diagnose', run.recording);
    // Recordings are kept to count them.
    const kept = join(mkdtempSync(join(folder, 'tuned-')), 'planted');
    const began = performance.now();
    const command = [python, join(PROGRAMS, program.script), ...program.args];
    const tuned = await venturiJson('tune', '--record', kept, '--', ...command);
    return {
      run,
      lines: 0,
      verdict: diagnosis.verdict.kind,
      loader: diagnosis.loaders[0].summary.name,
      looked: true,
      settings: tuned.best?.changes,
      trials: tuned.recordings.length,
      tuneSeconds: (performance.now() - began) / 1e3,
    };
  },

  async traceml({ runner, program, folder, python }) {
    const { copy, lines } = instrumented(folder, 'traceml', program.script);
    const inside = ([, script, ...args], into) => [
      ...[join(dirname(python), 'traceml'), 'run', script],
      ...['--logs-dir', join(into, 'logs'), '--run-name', 'planted', ...PORTS],
      ...['--args', ...args],
    ];
    const run = await runner.run(program, { programs: copy, inside });
    const summary = join(run.folder, 'logs', 'planted', 'final_summary.json');
    if (!existsSync(summary)) return { run, lines, verdict: 'none', failed: lastLine(run.stderr) };
    const { primary_diagnosis: found } = JSON.parse(readFileSync(summary, 'utf8'));
    return { run, lines, verdict: found?.kind ?? 'none' };
  },

  async loadtune({ runner, program, python }) {
    const workers = option(program.args, 'workers') ?? '1';
    const inside = (_, into) => [
      ...[join(dirname(python), 'loadtune'), 'tune', WORKLOAD],
      ...[...LOADTUNE_STEPS, '--workers', workers, '--no-plots'],
      ...['--out', join(into, 'report.md'), '--save-raw', join(into, 'raw.json')],
    ];
    const env = { PLANTED_PROGRAMS: PROGRAMS, PLANTED_ARGUMENTS: program.args.join(' ') };
    const run = await runner.run(program, { inside, env });
    const lines = linesOf(WORKLOAD);
    const raw = join(run.folder, 'raw.json');
    if (!existsSync(raw)) return { run, lines, verdict: 'none', looked: true, failed: lastLine(run.stdout) };
    const { baseline, trials, narrative } = JSON.parse(readFileSync(raw, 'utf8'));
    const good = trials.filter(({ result }) => result && !result.error);
    const top = Math.max(0, ...good.map(({ result }) => result.throughput));
    // Its own rule: the fewest workers within 2 % of the fastest, where that beats the baseline.
    const [best] = good
      .filter(({ result }) => result.throughput >= 0.98 * top)
      .sort((a, b) => a.knobs.num_workers - b.knobs.num_workers || b.result.throughput - a.result.throughput);
    const isBetter = best !== undefined && best.result.throughput > baseline.throughput;
    const { num_workers, prefetch_factor, persistent_workers } = best?.knobs ?? {};
    return {
      run,
      lines,
      verdict: /\*\*(\S+-bound)\*\*/.exec(narrative)?.[1] ?? 'none',
      looked: true,
      settings: isBetter
        ? {
            num_workers,
            ...(prefetch_factor === null ? {} : { prefetch_factor }),
            ...(persistent_workers ? { persistent_workers } : {}),
          }
        : undefined,
      trials: 1 + trials.length,
      tuneSeconds: run.seconds,
    };
  },

  async 'py-spy'({ runner, program, python }) {
    const inside = (command, into) => [
      ...[join(dirname(python), 'py-spy'), 'record', '--subprocesses', '--idle'],
      ...['-f', 'raw', '-o', join(into, 'spy.txt'), '--', ...command],
    ];
    const run = await runner.run(program, { inside });
    const samples = join(run.folder, 'spy.txt');
    if (!existsSync(samples)) return { run, lines: 0, verdict: 'none', failed: lastLine(run.stderr) };
    return { run, lines: 0, verdict: 'none', shows: waitingShare(readFileSync(samples, 'utf8')) };
  },

  async 'torch.profiler'({ runner, program, folder }) {
    const { copy, lines } = instrumented(folder, 'torch.profiler', program.script);
    const run = await runner.run(program, { programs: copy });
    return { run, lines, verdict: 'none', shows: fetchShare(run.stdout) };
  },
};

const lastLine = text => text.trimEnd().split('\n').at(-1);

/** The row of fetches in the profiler's own table, whose first figure is their part of the time. */
function fetchShare(table) {
  const part = /enumerate\(DataLoader\)\S*\s+([\d.]+)%/.exec(table)?.[1];
  return part === undefined ? 'no row of fetches' : `${Math.round(Number(part))} % in fetches`;
}

/** Of the samples of the training loop itself, the part in which it waits for a batch. */
function waitingShare(raw) {
  let [waiting, all] = [0, 0];
  for (const line of raw.split('\n')) {
    const [, stack, count] = /^(.*) (\d+)$/.exec(line) ?? [];
    // Workers have the main process's stack below their own.
    if (stack === undefined || !/;main \(/.test(stack) || /;process \d+:/.test(stack)) continue;
    all += Number(count);
    if (/__next__ \(/.test(stack)) waiting += Number(count);
  }
  return all === 0 ? 'no sample of the loop' : `${Math.round((100 * waiting) / all)} % of main() in __next__`;
}

/** The version of a tool that was run. */
export function versionOf(python, name) {
  const code = `from importlib.metadata import version; print(version(${JSON.stringify(name)}))`;
  return spawnSync(python, ['-c', code], { encoding: 'utf8' }).stdout.trim();
}
