import type { PipelineCosts } from '../../../model/pipeline-costs.ts';
import { openThreadClock } from '../../host/thread-clock.ts';
import { costOf } from './cost-of.ts';
import type { CostLanes } from './lanes.ts';

export interface FreshPageTask {
  readonly kind: 'touch';
}

const BUFFERS = 8;
const BUFFER_BYTES = 2 ** 20;
/** No system has smaller pages. */
const SMALLEST_PAGE = 4096;

export interface FreshPageAccount {
  readonly cpuNs: number;
  /** Pages that the system had to give, each of so many bytes. */
  readonly pages: number;
  readonly bytes: number;
}

/** Touches memory that nobody has touched before. All of it is held, so that none of it comes back for the next buffer. */
export function touchFreshPages(): FreshPageAccount {
  const clock = openThreadClock();
  const held: Uint8Array[] = [];
  const before = process.resourceUsage().minorPageFault;
  clock.read();
  const cpu = clock.cpu;
  for (let at = 0; at < BUFFERS; at++) {
    const buffer = new Uint8Array(BUFFER_BYTES);
    for (let offset = 0; offset < BUFFER_BYTES; offset += SMALLEST_PAGE) buffer[offset] = at;
    held.push(buffer);
  }
  clock.read();
  const cpuNs = clock.cpu - cpu;
  clock.close();
  const counted = process.resourceUsage().minorPageFault - before;
  const bytes = held.reduce((sum, { length }) => sum + length, 0);
  // Where faults are not counted, a page is the smallest.
  const pages = counted > 0 ? Math.min(counted, bytes / SMALLEST_PAGE) : bytes / SMALLEST_PAGE;
  return { cpuNs, pages, bytes: bytes / pages };
}

/** What a page of memory takes that is touched for the first time. */
export async function measureFreshPages(lanes: CostLanes, rounds: number): Promise<Pick<PipelineCosts, 'freshPage'>> {
  const accounts: FreshPageAccount[] = [];
  for (let round = -1; round < rounds; round++) {
    const account = await lanes.ask<FreshPageAccount>(0, { kind: 'touch' } satisfies FreshPageTask);
    if (round >= 0) accounts.push(account);
  }
  return {
    freshPage: {
      bytes: costOf(accounts.map(({ bytes }) => bytes)).median,
      cpuNs: costOf(accounts.map(({ cpuNs, pages }) => cpuNs / pages)),
    },
  };
}
