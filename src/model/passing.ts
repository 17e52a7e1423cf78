import type { Operator } from './graph.ts';

const PASSING = new Set(['repeat', 'prefetch', 'transport']);

/** It hands elements on as they are. */
export const isPassing = ({ kind }: Pick<Operator, 'kind'>): boolean => PASSING.has(kind);
