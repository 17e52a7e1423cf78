import type { StepTrace } from '../../model/step-trace.ts';

/** Nanoseconds of a microsecond, Chrome's unit. */
const NS_PER_US = 1000;

/** Training steps as a trace for Perfetto and Chrome: a process for each rank, a thread for each of its resources and one for its steps. */
export function* stepEvents(trace: StepTrace): Generator<string, void, undefined> {
  const { ranks, resources, steps, ops } = trace;
  const named = (what: string, pid: number, tid: number, name: string): string =>
    JSON.stringify({ ph: 'M', name: what, pid, tid, args: { name } });
  for (const [pid, { name }] of ranks.entries()) {
    yield named('process_name', pid, 0, name);
    yield named('thread_name', pid, 0, 'steps');
  }
  for (const [at, { name, rank = 0 }] of resources.entries()) yield named('thread_name', rank, at + 1, name);
  for (const { rank, number, start, duration } of steps) {
    yield JSON.stringify({
      ph: 'X',
      name: `step ${number}`,
      pid: rank,
      tid: 0,
      ts: start / NS_PER_US,
      dur: duration / NS_PER_US,
    });
  }
  for (let op = 0; op < ops.count; op++) {
    const resource = ops.resource[op] ?? 0;
    const bytes = ops.bytes[op] ?? Number.NaN;
    yield JSON.stringify({
      ph: 'X',
      name: ops.names[ops.name[op] ?? 0],
      cat: resources[resource]?.kind,
      pid: resources[resource]?.rank ?? 0,
      tid: resource + 1,
      ts: (ops.start[op] ?? 0) / NS_PER_US,
      dur: (ops.duration[op] ?? 0) / NS_PER_US,
      ...(Number.isNaN(bytes) ? {} : { args: { bytes } }),
    });
  }
}
