import type { Operator } from './graph.ts';

/** Recordings of version 0.1 do not say it of these. */
const ALWAYS = new Set(['forEach', 'writeLines', 'writeJsonl']);

/** Nothing ever leaves it: elements come to their end there. */
export const isSink = ({ kind, sink }: Pick<Operator, 'kind' | 'sink'>): boolean => sink ?? ALWAYS.has(kind);
