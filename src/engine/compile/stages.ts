import { VenturiError } from '../../model/errors.ts';
import type { Graph } from '../../model/graph.ts';
import { operatorKind } from '../operators/registry.ts';
import { fingerprint, type PlacedNode } from './graph.ts';

/** Operators fused into one loop, run by `parallelism` lanes. */
export interface PlannedStage {
  readonly id: string;
  readonly nodes: readonly PlacedNode[];
  readonly parallelism: number;
}

/** The bounded queue behind a stage. The last stage's leads to the consumer. */
export interface PlannedChannel {
  readonly id: string;
  readonly from: PlannedStage;
  readonly to: PlannedStage | undefined;
  readonly slots: number;
  readonly slotBytes: number;
  /** Most elements it may hold, where a prefetch says so. */
  readonly maxElements: number | undefined;
}

export interface ExecutionPlan {
  readonly nodes: readonly PlacedNode[];
  readonly stages: readonly PlannedStage[];
  readonly channels: readonly PlannedChannel[];
  readonly graph: Graph;
}

export const CONSUMER = 'consumer';

export interface PlanOptions {
  /** Everything in one stage on the calling thread. */
  readonly inline: boolean;
  /** Bytes of elements under way; channels get half of it. */
  readonly memory: number;
  readonly slots: number | undefined;
}

/** Graph → stages → channels, all of it plain data. */
export function planExecution(nodes: readonly PlacedNode[], options: PlanOptions): ExecutionPlan {
  const stages = options.inline ? [inlineStage(nodes)] : cutStages(nodes);
  const channels = options.inline ? [] : sizeChannels(stages, options);
  const graph: Graph = {
    operators: nodes.map(({ operator }) => operator),
    channels: channels.map(({ id, from, to, slots, slotBytes }) => ({
      id,
      from: from.nodes.at(-1)?.id ?? from.id,
      to: to?.nodes[0]?.id ?? CONSUMER,
      slots,
      capacity: slots * slotBytes,
    })),
    stages: stages.map(({ id, nodes: members, parallelism }) => ({
      id,
      operators: members.map(member => member.id),
      parallelism,
    })),
    fingerprint: fingerprint(nodes),
  };
  return { nodes, stages, channels, graph };
}

const inlineStage = (nodes: readonly PlacedNode[]): PlannedStage => ({ id: 'inline', nodes, parallelism: 0 });

/**
 * An operator that names its parallelism opens a stage, unless the one before it asked for the same; one that does not
 * rides along; one that needs all elements in order leaves a divided stage.
 */
function cutStages(nodes: readonly PlacedNode[]): readonly PlannedStage[] {
  const groups: { nodes: PlacedNode[]; parallelism: number; explicit: boolean; ended: boolean }[] = [];
  for (const placed of nodes) {
    const { node, operator } = placed;
    const current = groups.at(-1);
    const wanted = operator.sequential ? undefined : node.parallelism;
    const joins =
      current !== undefined &&
      !current.ended &&
      (wanted === undefined
        ? !operator.sequential || current.parallelism === 1
        : current.explicit && current.parallelism === wanted);
    const ended = operatorKind(node.kind).endsStage === true;
    if (joins) {
      current.nodes.push(placed);
      current.ended = ended;
    } else {
      groups.push({ nodes: [placed], parallelism: wanted ?? 1, explicit: wanted !== undefined, ended });
    }
  }
  return groups
    .map(({ nodes: members, parallelism }) => ({
      id: members.map(({ operator }) => operator.label).join('+'),
      nodes: members,
      parallelism,
    }))
    .map((stage, _, all) => uniqueId(stage, all));
}

/** Two stages of equally called operators are told apart by the full path of their first one. */
function uniqueId(stage: PlannedStage, all: readonly PlannedStage[]): PlannedStage {
  const alone = all.filter(({ id }) => id === stage.id).length === 1;
  return alone ? stage : { ...stage, id: stage.nodes.map(({ id }) => id).join('+') };
}

/** Memory of a slot is only touched when a chunk needs it, so slots are as large as the budget allows. */
const MOST_SLOT_BYTES = 4 * 2 ** 20;
const LEAST_SLOT_BYTES = 4096;

function sizeChannels(stages: readonly PlannedStage[], options: PlanOptions): readonly PlannedChannel[] {
  const drafts = stages.map((from, index) => {
    const to = stages[index + 1];
    const lanes = Math.max(from.parallelism, to?.parallelism ?? 1);
    const last = from.nodes.at(-1);
    const maxElements = last?.node.kind === 'prefetch' ? Number(last.node.settings.elements) : undefined;
    // Every lane holds one slot while it works; two more keep its neighbours busy.
    const slots = options.slots ?? Math.min(2 * lanes + 2, maxElements ?? Number.POSITIVE_INFINITY);
    return { from, to, slots, maxElements };
  });
  const allSlots = drafts.reduce((sum, { slots }) => sum + slots, 0);
  // The other half is for elements under way in the lanes.
  const share = Math.floor(options.memory / 2 / allSlots / LEAST_SLOT_BYTES) * LEAST_SLOT_BYTES;
  if (share < LEAST_SLOT_BYTES) {
    const needed = 2 * allSlots * LEAST_SLOT_BYTES;
    throw new VenturiError(
      'VENTURI_BUDGET_TOO_SMALL',
      `${stages.length} stages need ${allSlots} slots between them, which do not fit into ${options.memory} bytes`,
      { remedy: `allow at least ${needed} bytes of memory, or use fewer threads` },
    );
  }
  return drafts.map(draft => ({
    ...draft,
    id: `${draft.from.nodes.at(-1)?.id ?? draft.from.id} → ${draft.to?.nodes[0]?.id ?? CONSUMER}`,
    slotBytes: Math.min(MOST_SLOT_BYTES, share),
  }));
}
