/**
 * Programs as the guides of libraries show them, recorded: is anything changed, is every loader and batch counted, is the headline
 * right where a bottleneck was planted, does the printed advice run and help, and do the bands of forecasts hold? `--only plain,timm` runs
 * the programs whose name begins so, `--only forecast` the last part alone. Programs run one at a time and mostly sleep: two cores suffice. What was not as it should be is told
 * on standard error.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { advised } from './wild/advice.mjs';
import { forecastResults } from './wild/forecast.mjs';
import { GUIDES, hasRole, PLANTED } from './wild/programs.mjs';
import { pythonFor, wildPython } from './wild/python.mjs';
import { Runner, venturiJson } from './wild/running.mjs';
import { difference } from './wild/sameness.mjs';
import { comparedCounts } from './wild/tally.mjs';

/** Each result: what it must reach. */
const GOALS = {
  'same-output': '1',
  'counts-exact': '1',
  'headline-right': '>= 0.95',
  'advice-runs': '1',
  'advice-helps': '>= 0.9',
};

export default async function wild(report, { args }) {
  const { python, absent } = wildPython();
  if (absent !== undefined) {
    for (const name of Object.keys(GOALS)) report({ case: name, absent });
    return;
  }
  const only = args.includes('--only') ? args[args.indexOf('--only') + 1].split(',') : [''];
  const isWanted = ({ name }) => only.some(begin => name.startsWith(begin));
  const folder = mkdtempSync(join(tmpdir(), 'venturi-wild-'));
  const began = performance.now();
  const score = new Score(report);
  try {
    const runner = new Runner(folder, program => pythonFor(program, python));
    for (const program of [...GUIDES, ...PLANTED].filter(isWanted)) await tried(program, runner, folder, score);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  if (isWanted({ name: 'forecast' })) await forecasts(report);
  score.reportAll({ seconds: (performance.now() - began) / 1e3 });
}

/** Of the forecasts of `npm run -s bench -- forecast`, what they come to. */
async function forecasts(report) {
  for await (const result of forecastResults()) {
    if (result.case.startsWith('band-')) report({ ...result, case: `forecast/${result.case}` });
  }
}

/** Runs one program alone and recorded, and its edited copy where there is advice. */
async function tried(program, runner, folder, score) {
  const { name, expected } = program;
  const alone = await runner.bare(program);
  if (alone.code !== program.code) {
    throw new Error(`${name} ends with ${alone.code} by itself:\n${alone.stderr}`);
  }
  const recorded = await runner.recorded(program);
  const differs = await difference(alone, recorded, () => runner.bare(program));
  score.add('same-output', name, differs === undefined, differs);
  const info = await venturiJson('info', recorded.recording);
  for (const { isExact, told } of comparedCounts(alone.stdout, info.batches?.loaders ?? [])) {
    score.add('counts-exact', name, isExact, told);
  }
  if (expected === undefined) return;
  const diagnosis = await venturiJson('diagnose', recorded.recording);
  const [first] = diagnosis.loaders;
  const { kind } = diagnosis.verdict;
  const isRight = kind === expected.kind && hasRole(first.summary.name, expected.role);
  score.add(
    'headline-right',
    name,
    isRight,
    `${kind} of ${first.summary.name}, not ${expected.kind} of ${expected.role}`,
  );
  const advice = await advised(runner, folder, program, alone, diagnosis);
  if (advice === undefined) return;
  score.add('advice-runs', name, advice.runs, advice.told);
  score.add('advice-helps', name, advice.helps, advice.told);
}

/** Counts what is as it should be, by result. */
class Score {
  #report;
  #results = Object.fromEntries(Object.keys(GOALS).map(name => [name, []]));

  constructor(report) {
    this.#report = report;
  }

  add(result, program, isGood, told) {
    this.#results[result].push({ program, isGood });
    if (!isGood) process.stderr.write(`${result}: ${program}: ${told}\n`);
  }

  reportAll(facts) {
    for (const [result, rows] of Object.entries(this.#results)) {
      if (rows.length === 0) continue;
      const wrong = rows.filter(({ isGood }) => !isGood).map(({ program }) => program);
      this.#report({
        case: result,
        value: 1 - wrong.length / rows.length,
        unit: 'share',
        of: rows.length,
        goal: GOALS[result],
        ...(wrong.length > 0 && { wrong: [...new Set(wrong)].join(' ') }),
        ...facts,
      });
    }
  }
}
