import { type ChannelShape, capacityOf, leastMemory, sizeChannels, slotsWanted } from '../../graph/channel-shape.ts';
import { cutStages } from '../../graph/stages.ts';
import { CONSUMER } from '../../model/consumer.ts';
import { VenturiError } from '../../model/errors.ts';
import type { ChannelSizing, Graph } from '../../model/graph.ts';
import { fusingRules } from './fusing.ts';
import { fingerprint, type PlacedNode } from './graph.ts';
import { Topology } from './topology.ts';

/** Operators fused into one loop, run by `parallelism` lanes. */
export interface PlannedStage {
  readonly id: string;
  readonly nodes: readonly PlacedNode[];
  readonly parallelism: number;
  /** It keeps nothing from one chunk to the next: each can be worked on by any lane, and again by another. */
  readonly stateless: boolean;
}

/** One stage reads from another. `to` is undefined where the consumer does. */
export interface Link {
  readonly from: number;
  readonly to: number | undefined;
  readonly port: number;
}

/** The bounded queue of a link. */
export interface PlannedChannel {
  readonly id: string;
  readonly shape: ChannelShape;
  readonly sizing: ChannelSizing;
  /** Blocks besides that its consumer may keep. */
  readonly spares: number;
  /** Most elements it may hold, where a prefetch says so. */
  readonly maxElements: number | undefined;
  /** Where a transport says so. */
  readonly bytesPerSecond: number | undefined;
  /** It leads from a sink to an operator that reads from several: what comes through it are ends, never elements. */
  readonly silent: boolean;
}

export interface ExecutionPlan {
  readonly topology: Topology;
  readonly nodes: readonly PlacedNode[];
  /** In the order of the data: a stage stands behind all it reads from. */
  readonly stages: readonly PlannedStage[];
  readonly links: readonly Link[];
  /** One per link; none inline, where links are plain lists. */
  readonly channels: readonly PlannedChannel[];
  readonly graph: Graph;
}

export interface PlanOptions {
  /** Everything in one stage on the calling thread. */
  readonly inline: boolean;
  /** Bytes of elements under way; channels get half of it. */
  readonly memory: number;
  readonly slots: number | undefined;
  /** The consumer may keep chunks that lie in its channel. */
  readonly borrow?: boolean | undefined;
}

/** Threads that share the work of these operators; none where they run inline. */
export const laneCount = (nodes: readonly PlacedNode[], inline: boolean): number =>
  cutStages(new Topology(nodes), fusingRules(inline)).reduce((sum, { lanes }) => sum + lanes, 0);

/** Graph → stages → channels, all of it plain data. */
export function planExecution(nodes: readonly PlacedNode[], options: PlanOptions): ExecutionPlan {
  const topology = new Topology(nodes);
  const stages = planStages(topology, options.inline);
  const links = linkStages(topology, stages);
  const channels = options.inline ? [] : planChannels(stages, links, options);
  const graph: Graph = {
    operators: nodes.map(({ operator }) => operator),
    channels: channels.map(({ id, shape, sizing }, at) => ({
      id,
      ...endsOf(stages, links[at]),
      slots: shape.slots,
      capacity: capacityOf(shape),
      largeSlotBytes: shape.largeSlotBytes,
      sizing,
    })),
    stages: stages.map(({ id, nodes: members, parallelism }) => ({
      id,
      operators: members.map(member => member.id),
      parallelism,
    })),
    ...(options.inline ? {} : { memory: options.memory }),
    fingerprint: fingerprint(nodes),
  };
  return { topology, nodes, stages, links, channels, graph };
}

/** The stages of a run, under names that tell them apart. */
function planStages(topology: Topology, inline: boolean): readonly PlannedStage[] {
  const stages = cutStages(topology, fusingRules(inline));
  return stages
    .map(({ nodes, lanes }) => ({
      id: inline && stages.length === 1 ? 'inline' : nodes.map(({ operator }) => operator.label).join('+'),
      nodes,
      parallelism: lanes,
      // What keeps something is in a divided stage only where each chunk can be worked on by itself.
      stateless: lanes > 1 || nodes.every(member => !topology.isStateful(member)),
    }))
    .map((stage, _, all) => uniqueId(stage, all));
}

function linkStages(topology: Topology, stages: readonly PlannedStage[]): readonly Link[] {
  return stages.flatMap(({ nodes }, from): Link[] => {
    const last = nodes.at(-1);
    const readers = last === undefined ? [] : topology.readers(last);
    if (readers.length === 0) return [{ from, to: undefined, port: 0 }];
    return readers.map(({ placed, port }) => ({
      from,
      to: stages.findIndex(stage => stage.nodes[0] === placed),
      port,
    }));
  });
}

const endsOf = (stages: readonly PlannedStage[], link: Link | undefined): { from: string; to: string } => ({
  from: stages[link?.from ?? -1]?.nodes.at(-1)?.id ?? CONSUMER,
  to: stages[link?.to ?? -1]?.nodes[0]?.id ?? CONSUMER,
});

export function stageAt({ stages }: ExecutionPlan, stage: number): PlannedStage {
  const planned = stages[stage];
  if (planned === undefined) throw new Error(`the plan has no stage ${stage}`);
  return planned;
}

/** The links into stage `stage`, by port. */
export const inputsOf = ({ links }: ExecutionPlan, stage: number): readonly number[] =>
  links
    .flatMap(({ to }, at) => (to === stage ? [at] : []))
    .toSorted((a, b) => (links[a]?.port ?? 0) - (links[b]?.port ?? 0));

export const outputsOf = ({ links }: ExecutionPlan, stage: number): readonly number[] =>
  links.flatMap(({ from }, at) => (from === stage ? [at] : []));

/** Two stages of equally called operators are told apart by the full path of their first one. */
function uniqueId(stage: PlannedStage, all: readonly PlannedStage[]): PlannedStage {
  const alone = all.filter(({ id }) => id === stage.id).length === 1;
  return alone ? stage : { ...stage, id: stage.nodes.map(({ id }) => id).join('+') };
}

function planChannels(
  stages: readonly PlannedStage[],
  links: readonly Link[],
  options: PlanOptions,
): readonly PlannedChannel[] {
  const drafts = links.map(link => {
    const from = stages[link.from];
    const lanes = Math.max(from?.parallelism ?? 1, stages[link.to ?? -1]?.parallelism ?? 1);
    const last = from?.nodes.at(-1);
    const maxElements = last?.node.kind === 'prefetch' ? Number(last.node.settings.elements) : undefined;
    const bytesPerSecond = last?.node.kind === 'transport' ? Number(last.node.settings.bytesPerSecond) : undefined;
    const asked = last?.node.settings.slots;
    const [reader] = stages[link.to ?? -1]?.nodes ?? [];
    const silent = last?.operator.sink === true && reader?.operator.origin === true;
    const sizing: ChannelSizing = {
      largeSlots: options.slots ?? Math.min(slotsWanted(lanes, asked), maxElements ?? Number.POSITIVE_INFINITY),
      counted: options.slots !== undefined || asked !== undefined || bytesPerSecond !== undefined || silent,
      lends: options.borrow === true && link.to === undefined,
      ...(maxElements === undefined ? {} : { mostElements: maxElements }),
    };
    return { ...endsOf(stages, link), port: link.port, sizing, maxElements, bytesPerSecond, silent };
  });
  const sizings = drafts.map(({ sizing }) => sizing);
  const needed = leastMemory(sizings);
  if (options.memory < needed) {
    const slots = sizings.reduce((sum, { largeSlots }) => sum + largeSlots, 0);
    throw new VenturiError(
      'VENTURI_BUDGET_TOO_SMALL',
      `${stages.length} stages need ${slots} slots between them, which do not fit into ${options.memory} bytes`,
      { remedy: `allow at least ${needed} bytes of memory, or use fewer threads` },
    );
  }
  const lanes = stages.reduce((sum, { parallelism }) => sum + parallelism, 0);
  const sized = sizeChannels(sizings, options.memory, lanes);
  return drafts.flatMap(({ from, to, port, ...channel }, at) => {
    // An operator may read twice from the same one.
    const again = drafts.some(other => other.from === from && other.to === to && other.port < port);
    const its = sized[at];
    return its === undefined ? [] : [{ ...channel, ...its, id: `${from} → ${to}${again ? `:${port + 1}` : ''}` }];
  });
}
