/**
 * Venturi beside other tools on programs with a planted bottleneck: what one has to write first, whether the verdict is right, which setting is
 * found, what rate that setting has by the program's own clock, what it took to find it, and what the tool costs. `--only
 * traceml,py-spy` chooses tools, `--programs plain/train` programs; `--markdown` prints the tables of docs/pytorch-peers.md to standard error.
 * TraceML and torch.profiler, which only watch a program that sleeps, run side by side; everything else by itself.
 */
import { inFolder, option } from './harness.mjs';
import { withSettings } from './peers/edits.mjs';
import { markdown } from './peers/markdown.mjs';
import { sideOf, TOOLS, versionOf } from './peers/tools.mjs';
import { hasRole, PLANTED } from './wild/programs.mjs';
import { wildPython } from './wild/python.mjs';
import { Runner } from './wild/running.mjs';

/** Those of the planted set that every tool can be started on. */
const CASES = ['plain/train', 'plain/val', 'plain/step', 'plain/hand-over', 'plain/start', 'plain/order'];

/** Tools that run at the same time: those that watch the program as it is, and look for no setting. */
const SIDE_BY_SIDE = ['traceml', 'torch.profiler'];

export default async function peers(report, { args }) {
  const { python, absent } = wildPython();
  const only = option(args, 'only')?.split(',') ?? Object.keys(TOOLS);
  const cases = option(args, 'programs')?.split(',') ?? CASES;
  if (absent !== undefined) {
    for (const tool of only) report({ case: tool, absent });
    return;
  }
  const rows = [];
  await inFolder(async folder => {
    const runner = new Runner(folder, () => python);
    for (const program of PLANTED.filter(({ name }) => cases.includes(name))) {
      const alone = await runner.bare(program);
      const context = { program, alone, runner, folder, python, rates: new Map() };
      for (const group of groupsOf(only)) {
        for (const row of await Promise.all(group.map(tool => measured({ tool, ...context })))) {
          rows.push(row);
          report({ ...row, case: `${row.program}/${row.tool}` });
        }
      }
    }
  });
  for (const tool of only)
    report(
      summary(
        tool,
        rows.filter(row => row.tool === tool),
        python,
      ),
    );
  if (args.includes('--markdown')) process.stderr.write(markdown(rows));
}

/** Tools in the order in which they run, those of a group together. */
function groupsOf(tools) {
  const together = tools.filter(tool => SIDE_BY_SIDE.includes(tool));
  const rest = tools.filter(tool => !SIDE_BY_SIDE.includes(tool)).map(tool => [tool]);
  return together.length === 0 ? rest : [...rest, together];
}

const rateOf = ({ clock }, role) =>
  clock[role] === undefined ? Number.NaN : clock[role].elements / clock[role].seconds;

async function measured({ tool, program, alone, runner, folder, python, rates }) {
  const { role, kind } = program.expected;
  const facts = { tool, program: program.name, unit: 'times the rate' };
  const said = await TOOLS[tool]({ runner, program, folder, python }).catch(({ message }) => ({ failed: message }));
  if (said.failed !== undefined) return { ...facts, absent: `it failed: ${said.failed}` };
  const { run, settings } = said;
  // Who names no loader speaks of training.
  const isMeant = said.loader === undefined ? role === 'train' : hasRole(said.loader, role);
  const isSide = isMeant && sideOf(said.verdict) === sideOf(kind);
  const isRight = isMeant && said.verdict === kind;
  // Two tools may find the same.
  const key = JSON.stringify(settings);
  if (settings !== undefined && !rates.has(key)) {
    const set = await runner.bare(program, withSettings(folder, program.script, role, settings));
    rates.set(key, rateOf(set, role));
  }
  return {
    ...facts,
    // Of the setting it found, over that of the program as it is; 1 where it leaves it alone.
    value: settings === undefined ? 1 : rates.get(key) / rateOf(alone, role),
    lines: said.lines,
    verdict: said.verdict,
    isSide,
    isRight,
    ...(said.shows !== undefined && { shows: said.shows }),
    ...(said.looked && { setting: settings === undefined ? 'as it is' : JSON.stringify(settings) }),
    ...(said.trials !== undefined && { trials: said.trials, tuneSeconds: said.tuneSeconds }),
    // What the training loop itself takes longer, and the whole command.
    ...(run.clock.train !== undefined && { loopCost: rateOf(alone, 'train') / rateOf(run, 'train') - 1 }),
    secondsMore: run.seconds - alone.seconds,
  };
}

const PACKAGES = { traceml: 'traceml-ai', 'torch.profiler': 'torch' };

function summary(tool, rows, python) {
  const tried = rows.filter(({ absent }) => absent === undefined);
  const share = key => tried.filter(row => row[key]).length / Math.max(1, tried.length);
  return {
    case: tool,
    value: share('isRight'),
    unit: 'of verdicts',
    side: share('isSide'),
    programs: tried.length,
    ...(tool !== 'venturi' && { version: versionOf(python, PACKAGES[tool] ?? tool) }),
  };
}
