/**
 * Traces of training steps: how fast they are imported, and how far steps replayed from durations and dependencies are from the recorded
 * ones. What no op has is fitted to one half of a trace's steps and tested on the other, in turn. The traces are public ones, in
 * ../shared/traces or the folder of `--traces`.
 */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { replayTrace } from 'venturi';
import { inChild, option, orAbsent, repeated, spread, timed } from './harness.mjs';

const SHARED = fileURLToPath(new URL('../../shared/traces', import.meta.url));
const REPETITIONS = 5;

export default async function replay(report, { args }) {
  const folder = option(args, 'traces') ?? SHARED;
  if (!existsSync(folder)) {
    report({ case: 'mean-error', absent: `there is no folder ${folder}: give one with --traces` });
    return;
  }
  const errors = [];
  for (const file of readdirSync(folder).filter(name => /\.json(\.gz)?$/.test(name))) {
    await orAbsent(report, file, async () => {
      const [{ steps }] = await replayTrace(join(folder, file));
      if (steps.length < 2) throw new Error('it has fewer than two steps');
      const off = steps.map(({ recorded, replayed }) => Math.abs(replayed - recorded) / recorded);
      const value = off.reduce((sum, each) => sum + each, 0) / off.length;
      errors.push(value);
      report({
        case: `${file}/error`,
        value,
        low: Math.min(...off),
        high: Math.max(...off),
        unit: 'of a step',
        steps: off.length,
      });
    });
  }
  if (errors.length === 0) return;
  const value = errors.reduce((sum, each) => sum + each, 0) / errors.length;
  report({
    case: 'mean-error',
    value,
    low: Math.min(...errors),
    high: Math.max(...errors),
    unit: 'of a step',
    traces: errors.length,
    goal: '<= 0.05',
  });
  await importSpeed(report, folder);
}

/** Of the largest trace, in a fresh process each time. */
async function importSpeed(report, folder) {
  const largest = readdirSync(folder)
    .filter(name => name.endsWith('.gz'))
    .map(name => join(folder, name))
    .sort((a, b) => statSync(b).size - statSync(a).size)[0];
  const megabytes = gunzipSync(readFileSync(largest)).length / 1e6;
  const rounds = await repeated(REPETITIONS, () => inChild(import.meta.url, [largest]));
  report({
    case: 'import-and-replay',
    ...spread(rounds.map(({ cpu }) => megabytes / cpu)),
    unit: 'MB/cpu-s',
    megabytes,
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [, , path] = process.argv;
  process.stdout.write(JSON.stringify(await timed(() => replayTrace(path))));
}
