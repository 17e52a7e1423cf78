import { VenturiError } from '../../../model/errors.ts';
import type { StepTrace } from '../../../model/step-trace.ts';
import { StepTraceBuilder } from '../../../model/step-trace-builder.ts';
import { NS_PER_MICROSECOND } from '../../../model/units.ts';
import { type ChakraNode, COLLECTIVES } from './node.ts';
import { placed } from './placement.ts';
import { type Unit, unitOf } from './unit.ts';

/** The nodes of a trace, with where they run and what they wait for by position. */
interface Nodes {
  readonly nodes: readonly ChakraNode[];
  readonly units: readonly Unit[];
  readonly waitsFor: readonly (readonly number[])[];
  /** µs. */
  readonly starts: readonly number[];
  /** Of nodes without a time: those of each unit, in the order in which they were placed. */
  readonly orders: readonly (readonly number[])[];
  readonly isTimed: boolean;
}

/** The step that a Chakra execution trace holds: it marks no steps, and is of one of them by custom. */
export function chakraTrace(file: string, all: Iterable<ChakraNode>, rank: number): StepTrace {
  const found = nodesOf(file, all);
  const { nodes, units, waitsFor, starts, orders } = found;
  const builder = new StepTraceBuilder();
  builder.rank({ rank, name: `rank ${rank}` });
  const base = starts.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY);
  const duration = lengthFrom(base, found) * NS_PER_MICROSECOND;
  const step = builder.step({ rank: 0, number: 0, start: 0, duration });
  const resources = new Map<string, number>();
  const ops = nodes.map((node, at) => {
    const { name, kind, work } = units[at] ?? unitOf(node);
    const resource = resources.get(name) ?? builder.resource({ name, kind, rank: 0 });
    resources.set(name, resource);
    const isSent = work === 'communication';
    return builder.op({
      name: node.name,
      work,
      resource,
      start: ((starts[at] ?? base) - base) * NS_PER_MICROSECOND,
      duration: node.duration * NS_PER_MICROSECOND,
      bytes: isSent ? node.bytes : undefined,
      step,
      collective: isSent ? addCollective(builder, node) : undefined,
    });
  });
  for (const [at, from] of waitsFor.entries()) {
    for (const each of from) builder.dependency(ops[each] ?? 0, ops[at] ?? 0, 'given');
  }
  for (const order of orders) {
    const cause = units[order[0] ?? 0]?.kind === 'host' ? 'thread' : 'stream';
    for (const [position, at] of order.slice(1).entries()) {
      const before = order[position] ?? 0;
      if (waitsFor[at]?.includes(before) === true) continue;
      builder.dependency(ops[before] ?? 0, ops[at] ?? 0, cause, { guessed: true });
    }
  }
  tell(builder, found);
  return builder.build('chakra', String(BigInt(Math.round(base)) * BigInt(NS_PER_MICROSECOND)));
}

function nodesOf(file: string, all: Iterable<ChakraNode>): Nodes {
  const nodes = [...all].filter(({ type }) => type !== 'METADATA');
  if (nodes.length === 0) {
    throw new VenturiError('VENTURI_STEPS_NONE', `${file} has no nodes.`, {
      remedy: 'Make it again with chakra_trace_link and chakra_converter, from a profile of at least one whole step.',
    });
  }
  const position = new Map<number, number>();
  for (const [at, { id }] of nodes.entries()) {
    if (position.has(id)) throw new RangeError(`two nodes have the id ${id}`);
    position.set(id, at);
  }
  const waitsFor = nodes.map(node => node.waitsFor.flatMap(id => position.get(id) ?? []));
  const units = nodes.map(unitOf);
  const isTimed = nodes.some(({ start = 0 }) => start > 0);
  const { starts, orders } = isTimed
    ? { starts: nodes.map(({ start = 0 }) => start), orders: [] }
    : placed(file, nodes, waitsFor, units);
  return { nodes, units, waitsFor, starts, orders, isTimed };
}

/** µs from `base` to the last end. */
function lengthFrom(base: number, { nodes, starts }: Nodes): number {
  let length = 0;
  for (const [at, { duration }] of nodes.entries()) length = Math.max(length, (starts[at] ?? base) - base + duration);
  if (length * NS_PER_MICROSECOND <= Number.MAX_SAFE_INTEGER) return length;
  throw new RangeError('its ops are more than a hundred days apart');
}

function addCollective(builder: StepTraceBuilder, { type, collective, bytes, group, name }: ChakraNode): number {
  const called = type === 'COMM_SEND' ? 'send' : type === 'COMM_RECV' ? 'recv' : COLLECTIVES[collective ?? -1];
  return builder.collective({ name: called ?? name, bytes, group });
}

/** What the file does not say. */
function tell(builder: StepTraceBuilder, { nodes, units, waitsFor, isTimed }: Nodes): void {
  const named = nodes.reduce((count, node) => count + node.waitsFor.length, 0);
  const known = waitsFor.reduce((count, each) => count + each.length, 0);
  builder.assume('dependencies on nodes that are not in the file: left out', named - known, named);
  builder.assume(
    'ops without a time of start: placed as soon as what they wait for has ended and their resource is free',
    isTimed ? 0 : nodes.length,
    nodes.length,
  );
  const sent = nodes.filter((_, at) => units[at]?.work === 'communication');
  const unsized = sent.filter(({ bytes }) => bytes === undefined).length;
  builder.assume('communication without a size (comm_size): its bytes are not known', unsized, sent.length);
  builder.assume('trace without marks of steps, taken as one step', 1, 1);
}
