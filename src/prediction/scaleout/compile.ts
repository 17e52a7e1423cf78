import { greatest } from '../../math/totals.ts';
import type { ParseOverhead, StepSettings } from './cluster.ts';
import { inPlaceOf, ranksOf } from './order.ts';
import { serversOf } from './partition.ts';
import {
  COLLECTIVE,
  DOWNLINK,
  isLink,
  type ScaleoutProfile,
  type ScaleoutStep,
  SERVER,
  type StepGraph,
  UPLINK,
  WORKER,
} from './step.ts';
import { eachDependent, topologicalOrder } from './topology.ts';
import { Units } from './units.ts';

/**
 * Profiled steps as a simulation reads them: typed arrays, and what is received has an op that parses it. Tables of all graphs lie one after the
 * other; an op's row is the base of its step's graph + its number in it.
 */
export interface CompiledSteps {
  readonly units: Units;
  readonly batchSize: number;
  /** Most ops of a step. */
  readonly most: number;
  /** By row. */
  readonly names: readonly string[];
  readonly unit: Int32Array;
  readonly bytes: Float64Array;
  /** Bytes that an op parses; NaN where it parses none. */
  readonly parsed: Float64Array;
  readonly waits: Int32Array;
  /** By row and one more: where its dependents begin. These are numbers of ops in the same graph. */
  readonly offsets: Int32Array;
  readonly dependents: Int32Array;
  /** By step: its kind. All workers draw steps of the same kind at a time. */
  readonly kinds: readonly number[];
  /** By step: the base of its graph, the number of its ops, and where its durations and its first ops begin. */
  readonly bases: Int32Array;
  readonly counts: Int32Array;
  readonly durationBases: Int32Array;
  readonly rootOffsets: Int32Array;
  /** Seconds, of all that is not transmitted. */
  readonly durations: Float64Array;
  /** Seconds from when an op could begin until it is in line for its unit: until a transfer is asked for, until a thread takes an op up. Lie as durations do. */
  readonly delays: Float64Array;
  /** Ops that wait for none, in the order in which they queue. */
  readonly roots: Int32Array;
}

interface Expanded {
  readonly names: readonly string[];
  readonly unit: readonly number[];
  readonly bytes: readonly number[];
  readonly waits: Int32Array;
  readonly offsets: readonly number[];
  readonly dependents: readonly number[];
  readonly ranks: Float64Array | undefined;
  readonly parsed: readonly number[];
}

/** The paper's §3.4: transmission without what parsing took, then the parsing, on the host that received. */
export function compileSteps(profile: ScaleoutProfile, settings: StepSettings): CompiledSteps {
  const units = new Units(settings.servers);
  const graphs = profile.graphs.map(graph => expand(graph, settings, units));
  const bases = cumulative(graphs.map(({ names }) => names.length));
  const edgeBases = cumulative(graphs.map(({ dependents }) => dependents.length));
  const of = (step: ScaleoutStep): Expanded => graphs[step.graph] as Expanded;
  const durations = profile.steps.map(step => durationsOf(step, of(step), settings.overhead, units));
  const delays = profile.steps.map(step => delaysOf(step, of(step), units));
  const roots = profile.steps.map(step => rootsOf(step, of(step), units));
  return {
    units,
    batchSize: profile.batchSize,
    most: greatest(graphs.map(({ names }) => names.length)),
    names: graphs.flatMap(({ names }) => names),
    unit: Int32Array.from(graphs.flatMap(({ unit }) => unit)),
    bytes: Float64Array.from(graphs.flatMap(({ bytes }) => bytes)),
    parsed: Float64Array.from(graphs.flatMap(({ parsed }) => parsed)),
    waits: Int32Array.from(graphs.flatMap(({ waits }) => [...waits])),
    offsets: Int32Array.from([
      ...graphs.flatMap(({ offsets }, graph) => offsets.slice(0, -1).map(offset => offset + (edgeBases[graph] ?? 0))),
      edgeBases.at(-1) ?? 0,
    ]),
    dependents: Int32Array.from(graphs.flatMap(({ dependents }) => dependents)),
    kinds: profile.steps.map(({ kind = 0 }) => kind),
    bases: Int32Array.from(profile.steps, ({ graph }) => bases[graph] ?? 0),
    counts: Int32Array.from(profile.steps, step => of(step).names.length),
    durationBases: Int32Array.from(cumulative(durations.map(({ length }) => length)).slice(0, -1)),
    rootOffsets: Int32Array.from(cumulative(roots.map(({ length }) => length))),
    durations: Float64Array.from(durations.flat()),
    delays: Float64Array.from(delays.flat()),
    roots: Int32Array.from(roots.flat()),
  };
}

/** Where each part begins when parts of these lengths lie one after the other; and the end. */
function cumulative(lengths: readonly number[]): number[] {
  const sums = [0];
  for (const length of lengths) sums.push((sums.at(-1) ?? 0) + length);
  return sums;
}

function expand(graph: StepGraph, settings: StepSettings, units: Units): Expanded {
  // Throws where ops wait for each other in a circle.
  topologicalOrder(graph);
  const servers = serversOf(graph, settings.partition, settings.servers);
  const ranks = ranksOf(graph, settings.order, settings.orderSeed);
  const places = ranks === undefined ? undefined : inPlaceOf(graph, ranks, servers);
  const count = graph.names.length;
  const received = takesTime(settings.overhead)
    ? graph.resources.flatMap((resource, op) => (isLink(resource) ? [op] : []))
    : [];
  const parserOf = new Map(received.map((op, at) => [op, count + at]));
  const serverOf = (op: number): number => servers[graph.parameters[op] ?? 0] ?? 0;
  const parserUnit = (op: number): number => {
    if (settings.parse === 'beside') return units.parser;
    return graph.resources[op] === DOWNLINK ? units.worker : units.server(serverOf(op));
  };
  const offsets = [0];
  const dependents: number[] = [];
  const rankOf = (op: number): number => ranks?.[op] ?? 0;
  const addDependents = (op: number): void => {
    const own: number[] = [];
    const isRead = graph.resources[op] === SERVER;
    eachDependent(graph, op, dependent => own.push((isRead ? places?.get(dependent) : undefined) ?? dependent));
    own.sort((a, b) => rankOf(a) - rankOf(b) || a - b);
    for (const dependent of own) dependents.push(dependent);
  };
  for (let op = 0; op < count; op++) {
    const parser = parserOf.get(op);
    if (parser === undefined) addDependents(op);
    else dependents.push(parser);
    offsets.push(dependents.length);
  }
  for (const op of received) {
    addDependents(op);
    offsets.push(dependents.length);
  }
  const waits = new Int32Array(count + received.length);
  for (const dependent of dependents) waits[dependent] = (waits[dependent] as number) + 1;
  return {
    names: [...graph.names, ...received.map(op => `parse ${graph.names[op]}`)],
    unit: [
      ...graph.resources.map((resource, op) => unitOf(units, resource, serverOf(op))),
      ...received.map(parserUnit),
    ],
    bytes: [...graph.bytes, ...received.map(() => 0)],
    waits,
    offsets,
    dependents,
    ranks,
    parsed: [...graph.names.map(() => Number.NaN), ...received.map(op => graph.bytes[op] ?? 0)],
  };
}

const takesTime = ({ perByte, perMessage }: ParseOverhead): boolean => perByte > 0 || perMessage > 0;

const parseTime = ({ perByte, perMessage }: ParseOverhead, bytes: number): number => perByte * bytes + perMessage;

function unitOf(units: Units, resource: number, server: number): number {
  if (resource === DOWNLINK) return units.downlink(server);
  if (resource === UPLINK) return units.uplink(server);
  if (resource === COLLECTIVE) return units.collective;
  return resource === WORKER ? units.worker : units.server(server);
}

/** Recorded durations, and those of parsing after them. */
function durationsOf(step: ScaleoutStep, { parsed, unit }: Expanded, overhead: ParseOverhead, units: Units): number[] {
  return parsed.map((bytes, op) => {
    if (!Number.isNaN(bytes)) return parseTime(overhead, bytes);
    return units.isLink(unit[op] ?? 0) ? 0 : (step.durations[op] ?? 0);
  });
}

/** In a given order, what begins a step is asked for at the moments at which it was recorded, the first in that order at the first of them. */
function delaysOf({ delays = [] }: ScaleoutStep, { names, waits, unit, ranks }: Expanded, units: Units): number[] {
  const given = names.map((_, op) => delays[op] ?? 0);
  if (ranks === undefined) return given;
  const opening = [...delays.keys()].filter(op => waits[op] === 0 && (unit[op] ?? 0) < units.servers);
  const moments = opening.map(op => delays[op] ?? 0).sort((a, b) => a - b);
  opening.sort((a, b) => (ranks[a] ?? 0) - (ranks[b] ?? 0));
  for (const [at, op] of opening.entries()) given[op] = moments[at] ?? 0;
  return given;
}

/** The same steps with another overhead. Steps that were compiled without any have no ops for it. */
export function withOverhead(steps: CompiledSteps, overhead: ParseOverhead): CompiledSteps {
  const durations = steps.durations.slice();
  for (const [step, base] of steps.bases.entries()) {
    const first = steps.durationBases[step] as number;
    const count = steps.counts[step] as number;
    for (let op = 0; op < count; op++) {
      const bytes = steps.parsed[base + op] as number;
      if (!Number.isNaN(bytes)) durations[first + op] = parseTime(overhead, bytes);
    }
  }
  return { ...steps, durations };
}

/**
 * First come, first served: by rank where transfers have one, else by recorded start. Of transfers that were ready at once, that which was
 * recorded to end first was sent first; then as in the trace.
 */
function rootsOf({ starts, durations }: ScaleoutStep, { waits, unit, ranks }: Expanded, { servers }: Units): number[] {
  const isDownlink = (op: number): boolean => (unit[op] ?? 0) < servers;
  const key = (op: number): number => (isDownlink(op) ? ranks?.[op] : starts[op]) ?? starts[op] ?? 0;
  const end = (op: number): number => (isDownlink(op) ? (durations[op] ?? 0) : 0);
  return [...waits.keys()]
    .filter(op => waits[op] === 0)
    .sort((a, b) => (unit[a] ?? 0) - (unit[b] ?? 0) || key(a) - key(b) || end(a) - end(b) || a - b);
}
