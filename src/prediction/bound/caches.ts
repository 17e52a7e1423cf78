import type { Analysis } from '../../analysis/analysis.ts';
import type { OperatorRow } from '../../analysis/rates/rows.ts';
import { neededNodes } from '../../graph/needed.ts';
import { whyNotKept } from '../../graph/soundness.ts';
import { type Topology, topologyOf } from '../../graph/topology.ts';
import type { Interval } from '../../math/statistics.ts';
import type { Operator } from '../../model/graph.ts';

/** A place where elements could be kept after the first pass. */
export interface CachePlace {
  readonly operator: string;
  readonly elements: Interval;
  readonly bytes: Interval;
  /** Nothing at or upstream of it calls a function that nobody vouches for. */
  readonly certain: boolean;
  /** Operators that would have nothing to do any more. */
  readonly spares: ReadonlySet<string>;
}

/** A cache that brings less than this is not worth its memory. */
export const WORTH_KEEPING = 1.05;

/** That nothing was seen to be drawn proves nothing unless it was looked at this many times. */
const SEEN_OFTEN = 1000;

/** Behind which operators everything would fit and could be kept unseen, with nothing at or upstream of them that drew random numbers. */
export function cachePlaces({ graph, sizes, rows }: Analysis, memory: number): CachePlace[] {
  /** Random numbers an operator drew while it was recorded; undefined where that was not seen. */
  const draws = new Map(rows.operators.map(row => [row.id, drawn(row)]));
  const drew = ({ id, random }: Operator): boolean => random !== false && (draws.get(id) ?? 0) > 0;
  /** A function of the author's may draw random numbers. */
  const isCertain = ({ id, callsFunction, random }: Operator): boolean =>
    random === false || callsFunction !== true || (draws.get(id) === 0 && (seen.get(id) ?? 0) >= SEEN_OFTEN);
  const seen = new Map(
    rows.operators.map(({ id, elementsIn, elementsOut }) => [id, Math.max(elementsIn, elementsOut)]),
  );
  const topology = topologyOf(graph.operators);
  return sizes.flatMap(({ id, elements, bytes }) => {
    const at = topology.at(id);
    if (at === undefined || elements === undefined || bytes === undefined || !(bytes.high <= memory)) return [];
    const upstream = [...topology.upstream(at), at];
    if (upstream.some(drew) || whyNotKept(topology, at) !== undefined) return [];
    return [{ operator: id, elements, bytes, certain: upstream.every(isCertain), spares: sparedBy(topology, at) }];
  });
}

/** All but those beside which another spares more and has no more to keep: nothing speaks for them but a lucky measurement. */
export const withoutOutdone = (places: readonly CachePlace[]): CachePlace[] =>
  places.filter(one => !places.some(other => outdoes(other, one)));

/** Sizes are of samples: behind a filter that drops little they may seem to be more than before it, by this at the most. */
const AS_MUCH = 1.05;

const outdoes = (one: CachePlace, other: CachePlace): boolean =>
  one.spares.size > other.spares.size &&
  [...other.spares].every(id => one.spares.has(id)) &&
  one.elements.estimate <= AS_MUCH * other.elements.estimate &&
  one.bytes.estimate <= AS_MUCH * other.bytes.estimate;

const drawn = ({ keyedDraws, ambientDraws }: OperatorRow): number | undefined =>
  keyedDraws === undefined && ambientDraws === undefined ? undefined : (keyedDraws ?? 0) + (ambientDraws ?? 0);

/** What nobody needs once `cached` has all its elements: everything that leads to an end through there alone. */
function sparedBy(topology: Topology<Operator>, cached: Operator): ReadonlySet<string> {
  const needed = neededNodes(topology, operator => operator === cached);
  return new Set(topology.nodes.filter(node => node === cached || !needed.has(node)).map(({ id }) => id));
}
