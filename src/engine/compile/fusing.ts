import type { ChannelNeeds, Insertable, RuntimeRules } from '../../graph/runtime-rules.ts';
import type { FusingRules } from '../../graph/stages.ts';
import type { Operator } from '../../model/graph.ts';
import { shapeOf, slotsWanted } from './channel-shape.ts';
import { chunkElements, elementsForCalls } from './chunk-size.ts';
import { describeNode } from './graph.ts';
import { bareNode, type Node } from './node.ts';

const lanesAsked = ({ sequential, parallelism }: Operator): number | undefined =>
  sequential ? undefined : parallelism;

/**
 * An operator that names its parallelism opens a stage, unless the one before it asked for the same; one that does not
 * rides along; one that needs all elements in order leaves a divided stage. `prefetch` and `transport` end one.
 */
const IN_THREADS: FusingRules = {
  lanesUnasked: 1,
  lanesAsked,
  joins(operator, { lanes, isAsked, last }) {
    if (last.endsStage === true) return false;
    const asked = lanesAsked(operator);
    return asked === undefined ? !operator.sequential || lanes <= 1 : isAsked && lanes === asked;
  },
};

/** On the calling thread only what several read, and what reads from several, parts stages. */
const INLINE: FusingRules = { lanesUnasked: 0, lanesAsked: () => undefined, joins: () => true };

export const fusingRules = (inline: boolean): FusingRules => (inline ? INLINE : IN_THREADS);

/** What a plan puts in, as it will stand in the graph. */
function insertable(kind: string, settings: Node['settings']): Insertable {
  const { id: _, inputs: __, ...rest } = describeNode(kind, bareNode(kind, [PLACEHOLDER], settings), []);
  return rest;
}

/** It stands for whatever the operator will read from: one without inputs is a source. */
const PLACEHOLDER = bareNode('map', [], {});

/** The engine's rules: how it fuses operators into stages, and the buffer and cache that a plan may insert. */
export const engineRules = (): RuntimeRules => ({
  fusing: IN_THREADS,
  buffer: insertable('prefetch', { elements: 1 }),
  cache: insertable('cache', {}),
  chunkElements: chunkElementsOf,
});

function chunkElementsOf({ last, lanes, bytesPerElement, consumerNs, concurrency }: ChannelNeeds): number {
  return chunkElements({
    bytesPerElement,
    consumerNs,
    ...(concurrency === undefined ? {} : { least: elementsForCalls(concurrency) }),
    most: mostInChunk(last, lanes),
  });
}

/** Elements of a chunk that a prefetch allows: all that it holds are in its slots. */
function mostInChunk({ endsStage, settings: { elements, slots } }: Operator, lanes: number): number | undefined {
  if (endsStage !== true || typeof elements !== 'number') return undefined;
  const largeSlots = Math.min(slotsWanted(lanes, slots), elements);
  const counted = slots === undefined ? shapeOf(largeSlots, Number.MAX_VALUE, elements).slots : largeSlots;
  return Math.max(1, Math.floor(elements / counted));
}
