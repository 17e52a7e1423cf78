import type { Plan } from '../../src/engine/relational/index.ts';

export function rowsOf(plan: Plan): readonly Record<string, unknown>[];
