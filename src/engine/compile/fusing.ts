import { shapeOf, slotsWanted } from '../../graph/channel-shape.ts';
import type { ChannelNeeds, Insertable, RuntimeRules } from '../../graph/runtime-rules.ts';
import type { FusingRules } from '../../graph/stages.ts';
import type { Operator } from '../../model/graph.ts';
import { chunkElements, elementsForCalls, MOST_ELEMENTS, wholeMultiple } from './chunk-size.ts';
import { describeNode } from './graph.ts';
import { bareNode, type Node } from './node.ts';

const lanesAsked = ({ sequential, parallelism }: Operator): number | undefined =>
  sequential ? undefined : parallelism;

/**
 * An operator that names its parallelism opens a stage, unless the one before it asked for the same; one that does not
 * rides along; one that needs all elements in order leaves a divided stage, unless it is a batch whose elements can be given to lanes
 * batch by batch, or a repeat of what was counted. `prefetch` and `transport` end one.
 */
const IN_THREADS: FusingRules = {
  lanesUnasked: 1,
  lanesAsked,
  joins(operator, { lanes, isAsked, last, way = [] }) {
    if (last.endsStage === true) return false;
    const asked = lanesAsked(operator);
    if (asked !== undefined) return isAsked && lanes === asked;
    if (lanes <= 1) return true;
    if (operator.sequential) return gathersInLanes(operator, lanes, way) || repeatsInLanes(operator, way);
    return operator.effectsInOrder !== true || !isGathered(way);
  },
};

/** On the calling thread only what several read, and what reads from several, parts stages. */
const INLINE: FusingRules = { lanesUnasked: 0, lanesAsked: () => undefined, joins: () => true };

export const fusingRules = (inline: boolean): FusingRules => (inline ? INLINE : IN_THREADS);

/** Whether a batch stands between the last operator that asked for lanes and here: in a lane of its own, it would hand on its elements in order. */
function isGathered(way: readonly Operator[]): boolean {
  const asking = way.findLastIndex(operator => lanesAsked(operator) !== undefined);
  return way.slice(asking + 1).some(({ gathers }) => gathers !== undefined);
}

/**
 * Each lane can make whole batches by itself where chunks hold whole multiples of a batch: where as many elements arrive, in their order, as were
 * counted upstream. A batch that asks for a lane of its own gets it.
 */
function gathersInLanes({ gathers, parallelism }: Operator, lanes: number, way: readonly Operator[]): boolean {
  if (gathers === undefined || parallelism !== undefined || way.length === 0) return false;
  // Elements of a chunk behind each operator that make whole batches in the end.
  let whole = gathers;
  for (const [at, operator] of [...way.entries()].toReversed()) {
    if (whole > (mostInChunk(operator, lanes) ?? MOST_ELEMENTS)) return false;
    if (at === 0) break;
    if (operator.gathers !== undefined) whole *= operator.gathers;
    else if (operator.elements !== 'same' || !operator.keepsOrder) return false;
  }
  return whole <= MOST_ELEMENTS;
}

/**
 * The number of a pass tells each lane whether it is the last one. How far a pass has come in the lanes is known where as many elements arrive as were
 * counted upstream. One that asks for a lane of its own gets it.
 */
const repeatsInLanes = ({ repeats, parallelism }: Operator, way: readonly Operator[]): boolean =>
  repeats !== undefined && parallelism === undefined && way.length > 0 && way.slice(1).every(isCounted);

const isCounted = ({ gathers, repeats, elements, keepsOrder, sink }: Operator): boolean =>
  gathers !== undefined || repeats !== undefined || (elements === 'same' && keepsOrder && sink !== true);

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

function chunkElementsOf({ last, lanes, bytesPerElement, consumerNs, concurrency, whole }: ChannelNeeds): number {
  const elements = chunkElements({
    bytesPerElement,
    consumerNs,
    ...(concurrency === undefined ? {} : { least: elementsForCalls(concurrency) }),
    most: mostInChunk(last, lanes),
  });
  return wholeMultiple(elements, whole);
}

/** Elements of a chunk that a prefetch allows: all that it holds are in its slots. */
function mostInChunk({ endsStage, settings: { elements, slots } }: Operator, lanes: number): number | undefined {
  if (endsStage !== true || typeof elements !== 'number') return undefined;
  const largeSlots = Math.min(slotsWanted(lanes, slots), elements);
  const counted = slots === undefined ? shapeOf(largeSlots, Number.MAX_VALUE, elements).slots : largeSlots;
  return Math.max(1, Math.floor(elements / counted));
}
