/** Sets of changes to a pipeline, as plans have them. */

const CACHE_BYTES = 1e9;

/** Operators that threads can share: sources and those that see all elements in order are not among them. */
export const divisible = graph =>
  graph.operators.filter(({ sequential, inputs }) => !sequential && inputs.length > 0).map(({ id }) => id);

/** As its author wrote it. */
export const NAIVE = [];

/** As many threads as there are cores, everywhere. */
export const heuristic = (graph, cores) => withLanes(new Map(divisible(graph).map(id => [id, cores])));

/** From lanes by operator; those with one, which is what they have, stay as they are. */
export const withLanes = lanes =>
  [...lanes].filter(([, count]) => count > 1).map(([operator, to]) => ({ kind: 'parallelism', operator, to }));

/** Every combination of the lanes in a grid (see examples.mjs), beside its cache. */
export const inGrid = grid =>
  grid.flatMap(({ cache, calls = {}, lanes }) =>
    Object.entries(lanes)
      .reduce((sofar, [id, counts]) => sofar.flatMap(each => counts.map(count => [...each, [id, count]])), [[]])
      .map(combination => [
        ...combination.filter(([, to]) => to > 0).map(([operator, to]) => ({ kind: 'parallelism', operator, to })),
        ...Object.entries(calls).map(([operator, to]) => ({ kind: 'concurrency', operator, to })),
        ...(cache === undefined ? [] : [{ kind: 'cache', operator: cache, limit: CACHE_BYTES }]),
      ]),
  );

/** In a few words, for tables. */
export const describe = actions =>
  actions.length === 0
    ? 'as it is'
    : actions
        .map(({ kind, operator, to, elements, parallelism }) =>
          [kind === 'parallelism' ? '' : `${kind} `, operator, ` ${to ?? parallelism ?? elements ?? ''}`]
            .join('')
            .trim(),
        )
        .join(', ');
