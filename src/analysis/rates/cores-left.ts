import type { Host } from '../../model/host.ts';
import { type Cores, cores } from '../../model/units.ts';

/** Of the cores it may use: what others use below this is the machine's own, and gives way. */
const UNNOTICED = 0.1;

/**
 * Cores that other programs leave to this process: those of the machine that they do not use, no more than it may use, and no less than
 * it had, or than a scheduler gives to one thread more beside theirs: one that mostly sleeps has used next to none of what it would get.
 * Beside a limit of its own, others use cores of the machine that it may not have anyway.
 */
export function coresLeft(host: Host, busy: number, others: number | undefined): Cores {
  if (others === undefined || others <= UNNOTICED * host.coresUsable) return cores(host.coresUsable);
  const fair = Math.min(1, host.coresPresent / (others + 1));
  return cores(Math.min(host.coresUsable, Math.max(busy, fair, host.coresPresent - others)));
}
