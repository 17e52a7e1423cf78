import type { Host } from '../../model/host.ts';
import { type Cores, cores } from '../../model/units.ts';

/** Share of the usable cores below which other programs are ignored: background work that yields. */
const UNNOTICED = 0.1;

/**
 * Cores that other programs leave to this process: cores present less those that others use, at most the usable ones. At least
 * the cores it did use, and at least a fair scheduler's share for one more thread, because a process that mostly sleeps
 * has used little of what it would get. Under a quota, others first use cores that the process may not have anyway.
 */
export function coresLeft(host: Host, busy: number, others: number | undefined): Cores {
  if (others === undefined || others <= UNNOTICED * host.coresUsable) return cores(host.coresUsable);
  const fair = Math.min(1, host.coresPresent / (others + 1));
  return cores(Math.min(host.coresUsable, Math.max(busy, fair, host.coresPresent - others)));
}
