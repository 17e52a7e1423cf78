import type { FindingKind } from '../../src/model/finding.ts';
import type { VirtualDescription } from '../virtual/pipeline.mjs';

export const PLANTERS: Readonly<Record<FindingKind, unknown>>;

export function planted(
  kind: FindingKind,
  seed: number,
): { readonly description: VirtualDescription; readonly kind: FindingKind; readonly operators: readonly string[] };
