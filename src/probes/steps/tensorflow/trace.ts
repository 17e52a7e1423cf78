import { VenturiError } from '../../../model/errors.ts';
import type { OpWork, StepTrace } from '../../../model/step-trace.ts';
import { StepTraceBuilder } from '../../../model/step-trace-builder.ts';
import { NodeDependencies } from './dependencies.ts';
import { isStream, parseDevice } from './device.ts';
import { forgottenTransfers } from './forgotten-transfers.ts';
import { type NodeRun, receivedName, runEnd, type SessionRun } from './node-run.ts';
import { greatestOverlap } from './overlap.ts';
import { receivedTensors } from './received-tensors.ts';
import { TensorFlowResources } from './resources.ts';
import { TraceTally } from './tally.ts';

export interface TensorFlowOptions {
  /** Bytes of tensors by the node that makes them, for transfers that do not say theirs. */
  readonly sizes?: ReadonlyMap<string, number> | undefined;
}

/** A call of Session.run, ready to be turned into ops. */
interface Call {
  readonly file: string;
  readonly runs: readonly NodeRun[];
  readonly dependencies: NodeDependencies;
}

/** The steps of calls of Session.run: one for every call and worker in it. */
export function tensorFlowTrace(sessions: readonly SessionRun[], { sizes }: TensorFlowOptions = {}): StepTrace {
  const present = sessions.filter(({ runs }) => runs.length > 0);
  const concluded = receivedTensors(present);
  const forgotten = forgottenTransfers(present, concluded);
  const calls = present.map((session, at) => callOf(session, forgotten[at] ?? [], concluded[at] ?? new Map()));
  const [first] = calls;
  if (first === undefined) {
    throw new VenturiError('VENTURI_STEPS_NONE', `${sessions[0]?.file ?? 'the trace'} has no execution of any node.`, {
      remedy:
        'Run the step with options=tf.compat.v1.RunOptions(trace_level=FULL_TRACE) and run_metadata, and save that.',
    });
  }
  const base = calls.reduce((least, { runs }) => smaller(least, runs[0]?.start ?? least), first.runs[0]?.start ?? 0n);
  const builder = new StepTraceBuilder();
  const resources = new TensorFlowResources(
    builder,
    calls.flatMap(({ runs }) => runs),
    new Set(calls.flatMap(call => [...hostDevices(call).keys()])),
    lanesOf(calls),
  );
  const steps = addSteps(builder, calls, resources, base);
  const tally = new TraceTally(forgotten.reduce((count, { length }) => count + length, 0));
  const ends = new Map(calls.map(call => [call, addOps(builder, call, resources, base, steps, tally, sizes)]));
  for (const [call, next] of steps.successions) {
    const last = ends.get(call)?.last ?? 0;
    for (const root of ends.get(next)?.roots ?? []) builder.dependency(last, root, 'thread', { guessed: true });
  }
  tally.tell(builder);
  return builder.build('tensorflow', String(base));
}

function callOf(
  { file, runs, received }: SessionRun,
  forgotten: readonly NodeRun[],
  concluded: ReadonlyMap<string, string>,
): Call {
  const sorted = [...withoutCopies(runs), ...forgotten].sort((a, b) =>
    a.start < b.start ? -1 : a.start > b.start ? 1 : 0,
  );
  const dependencies = new NodeDependencies(sorted, received ?? new Map(), concluded);
  return { file, runs: withSenders(sorted, dependencies), dependencies };
}

/** Transfers that do not say whose tensor they brought, with what was concluded. */
function withSenders(runs: readonly NodeRun[], { dependencies }: NodeDependencies): NodeRun[] {
  const told = [...runs];
  for (const { from, to } of dependencies) {
    const [sender, receiver] = [runs[from], runs[to]];
    if (receiver?.transfer?.kind !== 'receive' || receiver.transfer.producer !== undefined || sender === undefined)
      continue;
    const transfer = { ...receiver.transfer, producer: sender.name, from: sender.device };
    told[to] = { ...receiver, name: receivedName(sender.name), transfer };
  }
  return told;
}

/** Each stream alone, and not all of them together once more, nor the copies among them. */
function withoutCopies(runs: readonly NodeRun[]): NodeRun[] {
  const numbered = new Set(
    runs.filter(({ device }) => /\/stream:\d+$/.test(device)).map(({ device }) => deviceOfStream(device)),
  );
  return runs.filter(({ device }) => !/\/(?:stream:all|memcpy)$/.test(device) || !numbered.has(deviceOfStream(device)));
}

const deviceOfStream = (device: string): string => device.replace(/\/(?:stream:[^/]*|memcpy)$/, '');

/**
 * Devices of a call that are not where its work is done, by what happens there: an accelerator whose streams are in the trace has launches under
 * its own name, and beside an accelerator the processor runs operators.
 */
function hostDevices({ runs }: Call): Map<string, 'launch' | 'operator'> {
  const devices = [...new Set(runs.map(({ device }) => device))].map(name => ({ name, ...parseDevice(name) }));
  const streams = new Set(devices.filter(({ stream }) => stream !== undefined).map(({ number }) => number));
  const accelerated = new Set(devices.filter(({ type }) => type !== 'cpu').map(({ task }) => task));
  const found = new Map<string, 'launch' | 'operator'>();
  for (const { name, type, task, number, stream } of devices) {
    if (type === 'cpu' && accelerated.has(task)) found.set(name, 'operator');
    if (type === 'gpu' && stream === undefined && streams.has(number)) found.set(name, 'launch');
  }
  return found;
}

/** Executions at a time on each device, at most, in any call. */
function lanesOf(calls: readonly Call[]): Map<string, number> {
  const lanes = new Map<string, number>();
  for (const { runs } of calls) {
    for (const [device, most] of greatestOverlap(
      runs.filter(run => run.transfer === undefined && !isStream(run.device)),
    )) {
      lanes.set(device, Math.max(most, lanes.get(device) ?? 1));
    }
  }
  return lanes;
}

interface CallSteps {
  /** The step of an execution in a call; what no worker alone has to do with is counted to its first. */
  of(call: Call, rank: number | undefined): number;
  /** Whether several workers are in it. */
  isShared(call: Call): boolean;
  /** Calls of one worker of which the second began when the first had ended: a program that calls in a loop. */
  readonly successions: readonly (readonly [Call, Call])[];
}

/** Ops of a call: those that wait for no other, and the one that ended last. */
interface CallEnds {
  readonly roots: readonly number[];
  readonly last: number;
}

/** Adds a step for each call and worker. */
function addSteps(
  builder: StepTraceBuilder,
  calls: readonly Call[],
  resources: TensorFlowResources,
  base: bigint,
): CallSteps {
  const found = calls.flatMap(call => {
    const [start, end] = interval(call, base);
    const ranks = new Set<number>();
    for (const run of call.runs) ranks.add(resources.of(run).rank ?? -1);
    ranks.delete(-1);
    return [...(ranks.size > 0 ? ranks : [0])].map(rank => ({ call, rank, start, duration: end - start }));
  });
  found.sort((a, b) => a.rank - b.rank || a.start - b.start);
  const numbered = new Map<Call, Map<number, number>>();
  const numbers = new Map<number, number>();
  for (const { call, rank, start, duration } of found) {
    const number = numbers.get(rank) ?? 0;
    numbers.set(rank, number + 1);
    const ofCall = numbered.get(call) ?? new Map<number, number>();
    ofCall.set(rank, builder.step({ rank, number, start, duration }));
    numbered.set(call, ofCall);
  }
  const of = (call: Call): ReadonlyMap<number, number> => numbered.get(call) ?? new Map();
  return {
    of: (call, rank) => (rank === undefined ? undefined : of(call).get(rank)) ?? of(call).values().next().value ?? 0,
    isShared: call => of(call).size > 1,
    successions: found.slice(1).flatMap((next, at) => {
      const before = found[at];
      const isSuccessor = before?.rank === next.rank && before.start + before.duration <= next.start;
      return isSuccessor ? [[before.call, next.call] as const] : [];
    }),
  };
}

function interval({ file, runs }: Call, base: bigint): [start: number, end: number] {
  const start = Number((runs[0]?.start ?? base) - base);
  let end = start;
  for (const run of runs) end = Math.max(end, Number(run.start - base) + run.duration);
  if (end <= Number.MAX_SAFE_INTEGER) return [start, end];
  throw new VenturiError('VENTURI_STEPS_UNREADABLE', `${file}: its ops are more than a hundred days apart.`, {
    remedy: 'Give the files of one run alone; a file that says so by itself is damaged.',
  });
}

function addOps(
  builder: StepTraceBuilder,
  call: Call,
  resources: TensorFlowResources,
  base: bigint,
  steps: CallSteps,
  tally: TraceTally,
  sizes: ReadonlyMap<string, number> | undefined,
): CallEnds {
  const hosts = hostDevices(call);
  const { dependencies, tally: inputs } = call.dependencies;
  const ops = call.runs.map(run => {
    const { resource, rank } = resources.of(run);
    const bytes = run.bytes ?? sizes?.get(run.transfer?.producer ?? '');
    tally.op(run, bytes, rank === undefined && steps.isShared(call));
    return builder.op({
      name: run.name,
      work: workOf(run, hosts),
      resource,
      start: Number(run.start - base),
      duration: Math.max(0, run.duration),
      bytes,
      step: steps.of(call, rank),
      guessed: run.guessed,
    });
  });
  for (const { from, to, cause, relation, guessed } of dependencies) {
    builder.dependency(ops[from] ?? 0, ops[to] ?? 0, cause, { relation, guessed });
  }
  tally.inputs(inputs);
  const waiting = new Set(dependencies.map(({ to }) => to));
  const ended = call.runs.map((run, at) => ({ at, end: runEnd(run) })).reduce((a, b) => (b.end > a.end ? b : a));
  return { roots: ops.filter((_, at) => !waiting.has(at)), last: ops[ended.at] ?? 0 };
}

function workOf({ device, transfer }: NodeRun, hosts: ReadonlyMap<string, OpWork>): OpWork {
  if (transfer !== undefined) return transfer.kind === 'receive' ? 'communication' : 'copy';
  return hosts.get(device) ?? 'compute';
}

const smaller = (a: bigint, b: bigint): bigint => (a < b ? a : b);
