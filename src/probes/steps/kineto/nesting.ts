import { endOf, isOnHost, occupiesThread, type RawEvents } from './raw-events.ts';

/** By event of a thread: the one that encloses it and takes time itself; -1 where none does. */
export function parentsOf(raw: RawEvents, isMark: ReadonlySet<number>): Int32Array {
  const parents = new Int32Array(raw.count).fill(-1);
  const stacks: number[][] = raw.tracks.map(() => []);
  for (const event of raw.order) {
    if (!isOnHost(raw, event)) continue;
    const stack = stacks[raw.track[event] as number] as number[];
    const start = raw.start[event] as number;
    while (stack.length > 0 && endOf(raw, stack.at(-1) as number) <= start) stack.pop();
    parents[event] = stack.at(-1) ?? -1;
    if (isMark.has(event) || occupiesThread(raw, event)) stack.push(event);
  }
  return parents;
}

/** The outermost collective that a thread is in, by event; -1 where it is in none: a kernel that a call launches belongs to that of the call. */
export function enclosingCollectives(raw: RawEvents): Int32Array {
  const collectives = new Int32Array(raw.count).fill(-1);
  const stacks: number[][] = raw.tracks.map(() => []);
  for (const event of raw.order) {
    if (!isOnHost(raw, event)) continue;
    const stack = stacks[raw.track[event] as number] as number[];
    const start = raw.start[event] as number;
    while (stack.length > 0 && endOf(raw, stack.at(-1) as number) <= start) stack.pop();
    if ((raw.collective[event] as number) >= 0) stack.push(event);
    // Of the two that torch writes, the outer one describes itself in full: `record_param_comms` around `nccl:all_reduce`.
    const described = stack[0];
    if (described !== undefined) collectives[event] = raw.collective[described] as number;
  }
  return collectives;
}
