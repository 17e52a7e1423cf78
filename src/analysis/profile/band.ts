/** Two-sided 95 % of the normal distribution. */
const Z = 1.96;

/**
 * ns per element by which a fused loop's samples can be off between operators. A core works on the next operators, and on the next element, while it waits
 * for the oldest instruction, and the sample is that one's: as far as it looks ahead, work can be charged to its neighbour. Measured with two to four operators of
 * known work (turns 10:20:5, 30:10:30, 40:40, 8:16:24:32, 60:20:10) in one loop of 50 to 160 ns an element: up to 27 ns (Xeon, Node 20); 3.6 to 6.4 ns on a
 * core that looks less far ahead (Neoverse N1).
 */
export const SKID_NS = 30;

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
