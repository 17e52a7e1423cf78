/** What a program counted itself, beside what was recorded of it. */
import { hasRole } from './programs.mjs';

const ROW = /^tally (\w+): (\d+) batches, (\d+) elements$/gm;

/** Rows of a program's own tally. */
export const tallyOf = stdout =>
  [...stdout.matchAll(ROW)].map(([, role, batches, elements]) => ({
    role,
    batches: Number(batches),
    elements: Number(elements),
  }));

/** For every row, whether one loader of that role was recorded with just these counts; if not, what was. */
export function comparedCounts(stdout, loaders) {
  return tallyOf(stdout).map(({ role, batches, elements }) => {
    const named = loaders.filter(({ name }) => hasRole(name, role));
    const isExact = named.length === 1 && named[0].batches === batches && named[0].elements === elements;
    const seen = loaders.map(loader => `${loader.name} ${loader.batches}/${loader.elements}`).join(', ');
    return { isExact, told: `${role} counted ${batches}/${elements}, recorded: ${seen || 'nothing'}` };
  });
}
