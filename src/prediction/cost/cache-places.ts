import type { Analysis } from '../../analysis/analysis.ts';
import type { OperatorRow } from '../../analysis/rates/rows.ts';
import { neededNodes } from '../../graph/needed.ts';
import { whyNotKept } from '../../graph/soundness.ts';
import { type Topology, topologyOf } from '../../graph/topology.ts';
import type { Interval } from '../../math/statistics.ts';
import type { End } from '../../model/end.ts';
import type { Operator } from '../../model/graph.ts';
import { WORTHWHILE } from '../thresholds.ts';

/** An operator whose output could be cached in the first pass. */
export interface CachePlace {
  readonly operator: string;
  readonly elements: Interval;
  readonly bytes: Interval;
  /** Every function at or upstream of it is declared, or was seen, to be deterministic. */
  readonly certain: boolean;
  /** Operators that would have nothing to do any more. */
  readonly spares: ReadonlySet<string>;
}

/**
 * Least number of observed calls without a random draw for a function to count as deterministic: at most 0.3 % of its calls draw then, at 95 %
 * confidence (the rule of three: 3 / n).
 */
const SEEN_OFTEN = 1000;

/** Operators whose whole output fits in memory and can be cached soundly, with no random draws at or upstream of them. */
export function cachePlaces({ graph, sizes, rows, rates }: Analysis, memory: number): CachePlace[] {
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
    const spares = sparedBy(topology, at);
    if (rates.ends.some(end => spares.has(end.operator) && !isCountedBehind(topology, end))) return [];
    return [{ operator: id, elements, bytes, certain: upstream.every(isCertain), spares }];
  });
}

/** Without dominated ones: another saves more and needs no more memory, so only a lucky measurement could favour them. */
export const withoutOutdone = (places: readonly CachePlace[]): CachePlace[] =>
  places.filter(one => !places.some(other => outdoes(other, one)));

/** Sizes are estimates, and behind a filter that drops little they may exceed those before it. */
const isAsMuch = (one: number, other: number): boolean => one <= (1 + WORTHWHILE) * other;

const outdoes = (one: CachePlace, other: CachePlace): boolean =>
  one.spares.size > other.spares.size &&
  [...other.spares].every(id => one.spares.has(id)) &&
  isAsMuch(one.elements.estimate, other.elements.estimate) &&
  isAsMuch(one.bytes.estimate, other.bytes.estimate);

const drawn = ({ keyedDraws, ambientDraws }: OperatorRow): number | undefined =>
  keyedDraws === undefined && ambientDraws === undefined ? undefined : (keyedDraws ?? 0) + (ambientDraws ?? 0);

/** Where the last operator is kept, elements are counted as they leave the cache. Elsewhere nobody would count any more. */
const isCountedBehind = (topology: Topology<Operator>, { operator, counted }: End): boolean => {
  const at = topology.at(operator);
  return counted === 'elementsOut' && at !== undefined && topology.readers(at).length === 0;
};

/** Operators that are idle once `cached` is full: those with no path to an end but through it. */
function sparedBy(topology: Topology<Operator>, cached: Operator): ReadonlySet<string> {
  const needed = neededNodes(topology, operator => operator === cached);
  return new Set(topology.nodes.filter(node => node === cached || !needed.has(node)).map(({ id }) => id));
}
