import { HAS_IDENTITY, SEQUENCE_IS_RUN, SUB_IS_ZERO } from './layout.ts';
import type { Scratch } from './scratch.ts';

/** Which elements these are: number at the source, and a hash of the path of sub-indices below it (0 where there is none). */
export interface Identity {
  readonly sequence: ArrayLike<number>;
  readonly sub: ArrayLike<number>;
}

/**
 * Most chunks hold neighbours straight from a source: then the first number says it all (SEQUENCE_IS_RUN), and no sub-index is
 * written (SUB_IS_ZERO). Otherwise a float64 per sequence number and a u32 per sub-index. Returns the header's flags.
 */
export function writeIdentity(scratch: Scratch, identity: Identity, from: number, to: number): number {
  let flags = HAS_IDENTITY;
  const count = to - from;
  if (count > 0 && isRun(identity.sequence, from, to)) {
    flags |= SEQUENCE_IS_RUN;
    const at = scratch.take(8) / 8;
    scratch.f64[at] = identity.sequence[from] as number;
  } else {
    const at = scratch.take(count * 8) / 8;
    const out = scratch.f64;
    for (let i = 0; i < count; i++) out[at + i] = identity.sequence[from + i] as number;
  }
  if (isZero(identity.sub, from, to)) return flags | SUB_IS_ZERO;
  const at = scratch.take(count * 4) / 4;
  const out = scratch.u32;
  for (let i = 0; i < count; i++) out[at + i] = identity.sub[from + i] as number;
  return flags;
}

function isRun(sequence: ArrayLike<number>, from: number, to: number): boolean {
  const first = (sequence[from] as number) - from;
  for (let i = from; i < to; i++) if (sequence[i] !== first + i) return false;
  return true;
}

function isZero(sub: ArrayLike<number>, from: number, to: number): boolean {
  for (let i = from; i < to; i++) if (sub[i] !== 0) return false;
  return true;
}

export function runFrom(first: number, count: number): Float64Array {
  const sequence = new Float64Array(count);
  for (let i = 0; i < count; i++) sequence[i] = first + i;
  return sequence;
}
