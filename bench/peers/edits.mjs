/** The lines that a peer's own guide has one write into a program, and settings put into one, in a copy of the programs. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { copiedPrograms } from '../wild/running.mjs';

const LOOP = /( +)for x, y in train_loader:\n((?:\1 {4}.*\n)+)/;

/** As each guide shows it for a loop of one's own; text to find, and what stands there then. */
const GUIDES = {
  traceml: [
    ['import torch\n', 'import torch\nimport traceml_ai as traceml\n'],
    ['    tally = Tally()\n', '    tally = Tally()\n    traceml.init(mode="auto")\n'],
    [
      LOOP,
      (_, indent, body) =>
        `${indent}for x, y in train_loader:\n${indent}    with traceml.trace_step(model):\n${body.replaceAll(/^/gm, '    ').trimEnd()}\n`,
    ],
  ],
  'torch.profiler': [
    ['    for epoch in range', '    prof = torch.profiler.profile()\n    prof.start()\n    for epoch in range'],
    [
      '    tally.tell()\n',
      '    prof.stop()\n    print(prof.key_averages().table(sort_by="cpu_time_total", row_limit=10))\n    tally.tell()\n',
    ],
  ],
};

/** A copy of the programs in `folder`, one of them changed by `edits`, and how many lines are new to it, indentation aside. */
function editedCopy(folder, script, edits) {
  const copy = copiedPrograms(folder);
  const file = join(copy, script);
  const before = readFileSync(file, 'utf8');
  const after = edits.reduce((text, [find, put]) => {
    const changed = text.replace(find, put);
    if (changed === text) throw new Error(`${script} has no ${find}`);
    return changed;
  }, before);
  writeFileSync(file, after);
  const known = new Set(before.split('\n').map(line => line.trim()));
  return { copy, lines: after.split('\n').filter(line => !known.has(line.trim())).length };
}

/** The program as the guide of a peer has it. */
export const instrumented = (folder, peer, script) => editedCopy(folder, script, GUIDES[peer]);

/** Where plain.py says how many workers the loader of a role has. */
const LOADERS = {
  train: /(plan\.train_set,\s+batch_size=BATCH,\s+)num_workers=plan\.workers/,
  val: /(plan\.val_set, batch_size=BATCH, )num_workers=plan\.workers/,
};

const literal = value => (value === true ? 'True' : value === false ? 'False' : String(value));

/** A copy of the programs in which the loader of this role is set so. */
export function withSettings(folder, script, role, settings) {
  const put = Object.entries({ num_workers: 'plan.workers', ...settings })
    .map(([name, value]) => `${name}=${literal(value)}`)
    .join(', ');
  const edits = [[LOADERS[role], (_, head) => `${head}${put}`]];
  // Torch takes none for a loader without workers.
  if (settings.num_workers === 0 && role === 'train') edits.push([/\s+multiprocessing_context=plan\.context,/, '']);
  return editedCopy(folder, script, edits).copy;
}

/** Lines of a file that say something. */
export const linesOf = file =>
  readFileSync(file, 'utf8')
    .split('\n')
    .filter(line => /^\s*[^\s#"]/.test(line)).length;
