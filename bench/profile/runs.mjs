import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { venturi } from '../harness.mjs';

const PACKAGE = fileURLToPath(new URL('../node_modules/venturi', import.meta.url));

/** Cores for one profiled run: its lane, what samples it, the main thread and V8's compiler. */
const CORES_EACH = 4;
const MOST_AT_ONCE = 4;

/** `work` on each of `items`, as many at once as the machine has cores for; results in their order. */
export async function atOnce(items, work) {
  const results = [];
  let next = 0;
  const worker = async () => {
    while (next < items.length) {
      const at = next++;
      results[at] = await work(items[at], at);
    }
  };
  const count = Math.max(1, Math.min(MOST_AT_ONCE, Math.floor(availableParallelism() / CORES_EACH)));
  await Promise.all(Array.from({ length: count }, worker));
  return results;
}

/** Writes a pipeline from which the package can be imported; gives its path. */
export function pipelineFile(folder, name, text) {
  const modules = join(folder, 'node_modules');
  mkdirSync(modules, { recursive: true });
  if (!existsSync(join(modules, 'venturi'))) symlinkSync(PACKAGE, join(modules, 'venturi'), 'dir');
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

let recordings = 0;

/** The profile of a pipeline, as `venturi profile --json` gives it, the size of its files, and what `read` makes of their folder. */
export async function profiled(folder, pipeline, args = [], { env = process.env, read } = {}) {
  const record = join(folder, `profiled-${recordings++}`);
  const files = `${record}.venturi/profile`;
  try {
    const profile = JSON.parse(await venturi(['profile', pipeline, '--record', record, '--json', ...args], { env }));
    const sizeOf = pattern =>
      readdirSync(files)
        .filter(name => pattern.test(name))
        .reduce((sum, name) => sum + statSync(join(files, name)).size, 0);
    return {
      profile,
      bytes: { samples: sizeOf(/^samples/), dictionaries: sizeOf(/^lane-/) },
      read: read?.(files),
    };
  } finally {
    rmSync(`${record}.venturi`, { recursive: true, force: true });
  }
}

const QUERY = fileURLToPath(new URL('./queries.mjs', import.meta.url));
/** Line items: 300,000. */
const SCALE = 0.05;

/** The profile of a query of TPC-H that runs again and again for so many seconds; `read` is also told how often it ran. */
export function profiledQuery(folder, query, seconds, { rate = 1000, read } = {}) {
  const told = join(folder, `${query}-runs`);
  const env = {
    ...process.env,
    VENTURI_BENCH_SCALE: String(SCALE),
    VENTURI_BENCH_QUERY: query,
    VENTURI_BENCH_RUNS: told,
  };
  return profiled(folder, QUERY, ['--rate', rate, '--param', `seconds=${seconds}`], {
    env,
    read: files => read?.(files, Number(readFileSync(told, 'utf8'))),
  });
}

/** So many turns of one loop. */
export const bodyOf = turns =>
  `{ let y = x | 0; for (let k = 0; k < ${turns}; k++) y = (Math.imul(y, 31) + k) | 0; return y; }`;

/** A chain of operators whose work is so many turns. Each has a function of its own, with the loop written out. */
export const chainOf = (turns, elements) => `
import { pipeline, range } from 'venturi/engine';
export default pipeline(import.meta, { n: ${elements} }, ({ n }) => range(n)
${turns.map((count, at) => `  .map(x => ${bodyOf(count)}, { name: 'op${at}' })`).join('\n')}
  .batch(1024));
`;
