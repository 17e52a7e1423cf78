/** Two-sided 95 % of the normal distribution. */
const Z = 1.96;

/**
 * ns per element by which a fused loop's samples can be off between neighbouring operators: V8 puts a sample on the load, or on what waits for it.
 * Measured with three operators of known cost in one loop, at 29 to 897 ns an element: 3.6 to 6.4 ns went to a neighbour (Neoverse N1, Node 20).
 */
export const SKID_NS = 7;

export interface Band {
  readonly low: number;
  readonly high: number;
}

/** Wilson's interval of a share of which `hits` of `all` samples were seen. */
export function shareBand(hits: number, all: number): Band {
  if (all === 0) return { low: 0, high: 1 };
  const share = hits / all;
  const spread = Z * Math.sqrt((share * (1 - share)) / all + (Z * Z) / (4 * all * all));
  const middle = share + (Z * Z) / (2 * all);
  const scale = 1 + (Z * Z) / all;
  return { low: Math.max(0, (middle - spread) / scale), high: Math.min(1, (middle + spread) / scale) };
}

export const widened = ({ low, high }: Band, down: number, up: number): Band => ({
  low: Math.max(0, low - down),
  high: Math.min(1, high + up),
});

/**
 * The band with another estimate of the same share in it. In a fused loop the engine's timed elements are one: they have no skid, and V8 may put
 * samples of a function that it compiled into the loop on a line before it.
 */
export const including = ({ low, high }: Band, other: number | undefined): Band =>
  other === undefined || other <= 0
    ? { low, high }
    : { low: Math.min(low, other), high: Math.max(high, Math.min(1, other)) };
