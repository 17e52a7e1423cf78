import { z } from 'zod';
import { entryOf } from '../../../math/groups.ts';
import { partitionPoint } from '../../../math/partition-point.ts';
import { NS_PER_MICROSECOND } from '../../../model/units.ts';
import { isStream } from './device.ts';
import { type NodeRun, runEnd } from './node-run.ts';
import { streamRun } from './session-run.ts';

/** What tensorflow/python/client/timeline.py writes: a Chrome trace with an event for every execution of a node. */
const microseconds = z.number().min(-Number.MAX_SAFE_INTEGER).max(Number.MAX_SAFE_INTEGER);
const Naming = z.object({ name: z.literal('process_name'), pid: z.number(), args: z.object({ name: z.string() }) });
const Execution = z.object({
  pid: z.number(),
  ts: microseconds,
  dur: microseconds,
  args: z.record(z.string(), z.unknown()).default({}),
});

const COMPUTE = ' Compute';

/** Executions of nodes in a timeline. An event that is not as TensorFlow writes it throws a RangeError that names it. Tensors that were received have no name, no size and no sender there. */
export function timelineRuns(events: readonly unknown[]): NodeRun[] {
  const devices = new Map<number, string>();
  for (const event of events) {
    const { data } = Naming.safeParse(event);
    if (data?.args.name.endsWith(COMPUTE)) devices.set(data.pid, data.args.name.slice(0, -COMPUTE.length));
  }
  const runs: NodeRun[] = [];
  for (const [at, event] of events.entries()) {
    if (!isExecution(event)) continue;
    const { data, error } = Execution.safeParse(event);
    if (data === undefined) {
      const [issue] = error.issues;
      throw new RangeError(`traceEvents.${at}.${issue?.path.join('.')}: ${issue?.message}`);
    }
    const device = devices.get(data.pid);
    if (device === undefined) throw new RangeError(`traceEvents.${at}.pid: no process_name names ${data.pid}`);
    runs.push({
      device,
      start: nanoseconds(data.ts),
      duration: data.dur * NS_PER_MICROSECOND,
      ...described(device, data.args),
    });
  }
  return runs;
}

const isExecution = (event: unknown): boolean =>
  typeof event === 'object' &&
  event !== null &&
  'ph' in event &&
  event.ph === 'X' &&
  'cat' in event &&
  event.cat === 'Op';

function described(
  device: string,
  args: Readonly<Record<string, unknown>>,
): Pick<NodeRun, 'name' | 'op' | 'inputs' | 'transfer'> {
  const [name, op] = [textOf(args.name), textOf(args.op)];
  if (isStream(device)) return streamRun(`${name}:${op}`, '');
  if (name === 'RecvTensor') return { name, op: name, inputs: [], transfer: { kind: 'receive', to: device } };
  const inputs: string[] = [];
  for (let input = args.input0; typeof input === 'string'; input = args[`input${inputs.length}`]) inputs.push(input);
  return { name, op, inputs };
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : 'unknown');

/** Without the rounding that µs as ns in a double would bring. */
function nanoseconds(microseconds: number): bigint {
  const whole = Math.floor(microseconds);
  return BigInt(whole) * BigInt(NS_PER_MICROSECOND) + BigInt(Math.round((microseconds - whole) * NS_PER_MICROSECOND));
}

/**
 * Calls of Session.run that were merged into one timeline, as people do. The executor of a device begins each with a node `_SOURCE`: a call starts
 * with the first of its devices'. Where devices have different numbers of them, or a node runs across such a moment, functions ran
 * executors of their own, and it is one call.
 */
export function splitCalls(runs: readonly NodeRun[]): NodeRun[][] {
  const sources = new Map<string, bigint[]>();
  for (const { device, name, start } of runs) {
    if (name !== '_SOURCE') continue;
    entryOf(sources, device, () => []).push(start);
  }
  const perDevice = [...sources.values()].map(starts => starts.sort(ascending));
  const count = perDevice[0]?.length ?? 0;
  if (count < 2 || perDevice.some(starts => starts.length !== count)) return [[...runs]];
  const boundaries = Array.from({ length: count }, (_, call) =>
    perDevice.map(starts => starts[call] ?? 0n).sort(ascending),
  ).map(([first = 0n]) => first);
  const calls: NodeRun[][] = boundaries.map(() => []);
  for (const run of runs) {
    const call = Math.max(0, partitionPoint(count, at => (boundaries[at] ?? 0n) <= run.start) - 1);
    const next = boundaries[call + 1];
    if (next !== undefined && runEnd(run) > next) return [[...runs]];
    calls[call]?.push(run);
  }
  return calls;
}

const ascending = (a: bigint, b: bigint): number => (a < b ? -1 : a > b ? 1 : 0);
