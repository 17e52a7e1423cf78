import { existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { venturi } from '../harness.mjs';

const PACKAGE = fileURLToPath(new URL('../node_modules/venturi', import.meta.url));

/** Writes a pipeline from which the package can be imported; gives its path. */
export function pipelineFile(folder, name, text) {
  const modules = join(folder, 'node_modules');
  mkdirSync(modules, { recursive: true });
  if (!existsSync(join(modules, 'venturi'))) symlinkSync(PACKAGE, join(modules, 'venturi'), 'dir');
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

/** The profile of a pipeline, as `venturi profile --json` gives it. */
export async function profiled(folder, pipeline, args = []) {
  const record = join(folder, 'profiled');
  try {
    return JSON.parse(await venturi(['profile', pipeline, '--record', record, '--json', ...args]));
  } finally {
    rmSync(`${record}.venturi`, { recursive: true, force: true });
  }
}

/** A chain of operators whose work is so many turns of one loop. Each has a function of its own, with that loop written out. */
export const chainOf = (turns, elements) => `
import { pipeline, range } from 'venturi/engine';
export default pipeline(import.meta, { n: ${elements} }, ({ n }) => range(n)
${turns.map((count, at) => `  .map(x => { let y = x | 0; for (let k = 0; k < ${count}; k++) y = (Math.imul(y, 31) + k) | 0; return y; }, { name: 'op${at}' })`).join('\n')}
  .batch(1024));
`;
