/**
 * Verdicts on pipelines with a planted bottleneck. Most runs are made in virtual time (bench/virtual), recorded in the format
 * of the engine's probes, and judged by `diagnose` from disk, as any other run is; some are made on the engine.
 */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { diagnose } from 'venturi';
import { inFolder, option } from './harness.mjs';
import { engineRuns } from './verdicts/engine-runs.mjs';
import { PLANTERS, planted } from './verdicts/planted.mjs';
import { recordVirtually } from './virtual/packed.mjs';

const PIPELINES = 210;
/** None of these was looked at while the findings were written. */
const FIRST_SEED = 70_000;

export default async function verdicts(report, { args }) {
  const kinds = Object.keys(PLANTERS);
  const only = option(args, 'only');
  const results = [];
  await inFolder(async folder => {
    if (only === undefined || only === 'engine') await engineRuns(report, folder);
    for (let at = 0; at < PIPELINES; at++) {
      const kind = kinds[at % kinds.length];
      if (only !== undefined && kind !== only) continue;
      const { description, operators } = planted(kind, FIRST_SEED + at);
      const path = join(folder, 'run.venturi');
      recordVirtually(path, description);
      const { verdict, others } = await diagnose(path);
      const isNamed =
        operators.length === 0 || operators.includes('any') || operators.some(id => verdict.operators.includes(id));
      const isRight = verdict.kind === kind && isNamed;
      results.push({ kind, found: verdict.kind, isRight, isNamed });
      if (!isRight && args.includes('--wrong')) {
        const said = `${verdict.kind} at ${verdict.operators.join(',')}`;
        const also = others.map(other => other.kind).join(', ');
        process.stderr.write(`${description.name}: planted at ${operators.join(',')}, said ${said}; also ${also}\n`);
      }
      rmSync(path, { recursive: true });
    }
  });
  if (results.length === 0) return;
  const right = results.filter(({ isRight }) => isRight).length;
  report({
    case: 'accuracy',
    value: right / results.length,
    unit: 'share',
    pipelines: results.length,
    runs: 'virtual time',
    goal: '>= 0.95',
  });
  for (const kind of kinds) {
    const its = results.filter(result => result.kind === kind);
    if (its.length === 0) continue;
    const found = {};
    for (const result of its) found[result.found] = (found[result.found] ?? 0) + 1;
    report({
      case: `planted/${kind}`,
      value: its.filter(({ isRight }) => isRight).length / its.length,
      unit: 'share',
      pipelines: its.length,
      found: JSON.stringify(found),
    });
  }
  if (args.includes('--matrix')) process.stderr.write(`${matrix(kinds, results)}\n`);
}

/** The confusion matrix as a table for docs/diagnose.md: a row is what was planted, a column what was said. */
function matrix(kinds, results) {
  const said = [...new Set([...kinds, ...results.map(({ found }) => found)])];
  const cell = (kind, found) =>
    results.filter(result => result.kind === kind && result.found === found && result.isNamed).length || '';
  const other = kind => results.filter(result => result.kind === kind && !result.isNamed).length || '';
  return [
    `| planted | ${said.map((_, at) => at + 1).join(' | ')} | elsewhere |`,
    `|---|${said.map(() => '---:|').join('')}---:|`,
    ...kinds.map(
      (kind, at) => `| ${at + 1} ${kind} | ${said.map(found => cell(kind, found)).join(' | ')} | ${other(kind)} |`,
    ),
  ].join('\n');
}
