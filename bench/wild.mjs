/**
 * Programs as the guides of libraries show them, recorded: is anything changed, is every loader and batch counted, is the headline
 * right where a bottleneck was planted, does the printed advice run and help, do the bands of forecasts hold, and what do tiny batches pay? `--only
 * plain,timm` runs the programs whose name begins so, `--only forecast` and `--only tiny` the last two parts. Standard error has a line for
 * every program as it is done, and what was not as it should be.
 *
 * Nothing of a guide's program is timed: two of them run at a time. Of those with a slow step only the headline is asked for: they run alone and recorded
 * side by side, because they sleep. All others run by themselves: tried side by side, workers took so much longer to start that forecasts were too low.
 */
import { inFolder, option } from './harness.mjs';
import tinyBatches from './tiny-batches.mjs';
import { advised } from './wild/advice.mjs';
import { forecastResults } from './wild/forecast.mjs';
import { GUIDES, hasRole, isUntimed, PLANTED } from './wild/programs.mjs';
import { pythonFor, wildPython } from './wild/python.mjs';
import { Runner, venturiJson } from './wild/running.mjs';
import { difference } from './wild/sameness.mjs';
import { Score } from './wild/score.mjs';
import { comparedCounts } from './wild/tally.mjs';

export default async function wild(report, { args }) {
  const began = performance.now();
  const only = option(args, 'only')?.split(',') ?? [''];
  const isWanted = ({ name }) => only.some(begin => name.startsWith(begin));
  const score = new Score(report);
  const [guides, planted] = [GUIDES.filter(isWanted), PLANTED.filter(isWanted)];
  if (guides.length + planted.length > 0) await programs(guides, planted, score);
  if (isWanted({ name: 'tiny' }))
    await tinyBatches(result => report({ ...result, case: `tiny-batches/${result.case}` }));
  if (isWanted({ name: 'forecast' })) await forecasts(report);
  score.reportAll({ seconds: (performance.now() - began) / 1e3 });
}

async function programs(guides, planted, score) {
  const { python, absent } = wildPython();
  if (absent !== undefined) {
    score.reportAbsent(absent);
    return;
  }
  await inFolder(async folder => {
    const runner = new Runner(folder, program => pythonFor(program, python));
    await twoAtATime(guides, program => tried(program, runner, folder, score));
    for (const program of planted) await tried(program, runner, folder, score);
  });
}

async function twoAtATime(items, work) {
  const left = [...items];
  const worker = async () => {
    for (let next = left.shift(); next !== undefined; next = left.shift()) await work(next);
  };
  await Promise.all([worker(), worker()]);
}

/** Of the forecasts of `npm run -s bench -- loader-forecast`, what they come to. */
async function forecasts(report) {
  for await (const result of forecastResults()) {
    if (result.case.startsWith('band-')) report({ ...result, case: `forecast/${result.case}` });
    else process.stderr.write(`forecast: ${result.case}: ${result.holds === 1 ? 'holds' : 'does not hold'}\n`);
  }
}

/** Runs one program alone and recorded, and its edited copy where there is advice. */
async function tried(program, runner, folder, score) {
  const { name, expected } = program;
  const began = performance.now();
  const [alone, recorded] = isUntimed(program)
    ? await Promise.all([runner.bare(program), runner.recorded(program)])
    : [await runner.bare(program), await runner.recorded(program)];
  if (alone.code !== program.code) {
    throw new Error(`${name} ends with ${alone.code} by itself:\n${alone.stderr}`);
  }
  const differs = await difference(alone, recorded, () => runner.bare(program));
  score.add('same-output', name, differs === undefined, differs);
  const info = await venturiJson('info', recorded.recording);
  for (const { isExact, told } of comparedCounts(alone.stdout, info.batches?.loaders ?? [])) {
    score.add('counts-exact', name, isExact, told);
  }
  const advice = expected === undefined ? undefined : await judged(program, recorded, alone, runner, folder, score);
  score.done(name, (performance.now() - began) / 1e3, advice?.told);
}

/** The headline of a planted program, and its advice taken. */
async function judged(program, recorded, alone, runner, folder, score) {
  const { name, expected } = program;
  const diagnosis = await venturiJson('diagnose', recorded.recording);
  const [first] = diagnosis.loaders;
  const { kind } = diagnosis.verdict;
  const isRight = kind === expected.kind && hasRole(first.summary.name, expected.role);
  const told = `${kind} of ${first.summary.name}, not ${expected.kind} of ${expected.role}`;
  score.add('headline-right', name, isRight, told);
  const advice = await advised(runner, folder, program, alone, diagnosis);
  if (advice === undefined) return undefined;
  score.add('advice-runs', name, advice.runs, advice.told);
  score.add('advice-helps', name, advice.helps, advice.told);
  return advice;
}
