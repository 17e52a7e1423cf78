import type { Operator } from '../model/graph.ts';

/** They put their elements together themselves: those are numbered anew, and a stage begins. */
const JOINING = new Set(['zip', 'concat', 'merge', 'interleave', 'cache']);

/** Elements come from it, and are not handed to it one by one in a loop. */
export const isOrigin = ({ kind, inputs }: Pick<Operator, 'kind' | 'inputs'>): boolean =>
  inputs.length === 0 || JOINING.has(kind);
