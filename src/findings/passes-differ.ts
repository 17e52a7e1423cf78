import type { Definition } from './definition.ts';

/** What limits it is not the same in all passes. */
export const passesDiffer: Definition<{ readonly first: string; readonly later: string }> = {
  inLoader({ loader }) {
    const clear = loader.passes.filter(({ verdict }) => verdict.bound !== 'unclear');
    const [first, ...later] = clear;
    const other = later.find(({ verdict }) => verdict.bound !== first?.verdict.bound);
    if (first === undefined || other === undefined) return undefined;
    return { limits: false, figures: { first: first.verdict.bound, later: other.verdict.bound } };
  },

  words: ({ figures: { first, later } }, { name }) => ({
    text: `The bottleneck of ${name} differs between passes: ${first} in the first, ${later} in a later one`,
    advice: 'The first pass may find files that are not in memory: judge by what is typical of a long run',
  }),
};
