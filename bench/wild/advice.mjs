/** The advice of a diagnosis, taken: the printed edit is made in a copy of the program, which runs and is timed. */
import { readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { patched } from './patch.mjs';
import { copiedPrograms } from './running.mjs';

/** Elements per second of a loader, by the program's own clock. */
const rateOf = ({ clock }, role) => clock[role].elements / clock[role].seconds;

/**
 * `runs` where the changed program ends as it did, `helps` where the loader is faster by what was forecast; `told` says
 * what was not so. Undefined where neither an edit nor an option is printed.
 */
export async function advised(runner, folder, program, alone, diagnosis) {
  const [{ edit, findings }] = diagnosis.loaders;
  if (edit === undefined || (edit.diff.length === 0 && edit.options === undefined)) return undefined;
  const { gain } = findings.verdict;
  const failed = told => ({ runs: false, helps: false, told });
  const copy = copiedPrograms(folder);
  let changed = program;
  if (edit.diff.length === 0) {
    changed = { ...program, args: [...program.args, ...edit.options.split(' ')] };
  } else {
    try {
      const file = join(copy, basename(edit.location.replace(/:\d+$/, '')));
      writeFileSync(file, patched(readFileSync(file, 'utf8'), edit.diff));
    } catch (error) {
      return failed(`the edit of ${edit.location} cannot be made: ${error.message}`);
    }
  }
  const edited = await runner.bare(changed, copy);
  const changes = JSON.stringify(findings.verdict.fix.changes);
  if (edited.code !== program.code) {
    return failed(`${changes}: it ends with ${edited.code}: ${edited.stderr.trimEnd().split('\n').at(-1)}`);
  }
  const { role } = program.expected;
  const measured = rateOf(edited, role) / rateOf(alone, role);
  const facts = { runs: true, changes, measured };
  if (gain === undefined) return { ...facts, helps: false, told: `${changes}: no gain is forecast` };
  const { low, high } = gain.factorBand;
  return {
    ...facts,
    helps: measured > 1 && measured >= low && measured <= high,
    forecast: gain.factor,
    low,
    high,
    told: `${changes}: ${measured.toFixed(2)} times as fast, forecast ${low.toFixed(2)} to ${high.toFixed(2)}`,
  };
}
