import type { StepTrace } from '../../model/step-trace.ts';
import type { TraceEvent, Track } from './trace-event.ts';

/** Training steps as events for viewers of traces: a process for each rank, a track for each of its resources and one for its steps. */
export function* stepTraceEvents({ ranks, resources, steps, ops }: StepTrace): Generator<TraceEvent, void, undefined> {
  const ofSteps = ranks.map((_, pid): Track => ({ pid, tid: 0 }));
  const ofResources = resources.map(({ rank = 0 }, at): Track => ({ pid: rank, tid: at + 1 }));
  for (const [pid, { name }] of ranks.entries()) {
    yield { type: 'process', pid, name };
    const track = ofSteps[pid];
    if (track !== undefined) yield { type: 'track', track, name: 'steps' };
  }
  for (const [at, { name }] of resources.entries()) {
    const track = ofResources[at];
    if (track !== undefined) yield { type: 'track', track, name };
  }
  for (const { rank, number, start, duration } of steps) {
    const track = ofSteps[rank];
    if (track !== undefined) yield { type: 'span', track, name: `step ${number}`, start, duration };
  }
  for (let op = 0; op < ops.count; op++) {
    const resource = ops.resource[op] ?? 0;
    const track = ofResources[resource];
    if (track === undefined) continue;
    const bytes = ops.bytes[op] ?? Number.NaN;
    yield {
      type: 'span',
      track,
      name: ops.names[ops.name[op] ?? 0] ?? '',
      category: resources[resource]?.kind,
      start: ops.start[op] ?? 0,
      duration: ops.duration[op] ?? 0,
      figure: Number.isNaN(bytes) ? undefined : { name: 'bytes', value: bytes },
    };
  }
}
