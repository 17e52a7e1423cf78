/**
 * Rules by which others give out threads, on what a recording says: `operators` with their seconds per element that leaves the
 * pipeline, `divisible` or not, and `lanes` by operator. Each gives lanes again, or the rate it expects.
 */

const rateOf = (lanes, { id, seconds }) => (seconds > 0 ? (lanes.get(id) ?? 1) / seconds : Number.POSITIVE_INFINITY);

/** The operator whose threads together are slowest. */
const slowest = (operators, lanes) => operators.reduce((a, b) => (rateOf(lanes, b) < rateOf(lanes, a) ? b : a));

const total = lanes => [...lanes.values()].reduce((sum, count) => sum + count, 0);

const raised = (lanes, id, by = 1) => new Map([...lanes, [id, (lanes.get(id) ?? 1) + by]]);

/** Plumber's sequential tuning: one more for the slowest; undefined where that cannot be divided. */
export function ranked({ operators, lanes }) {
  const { id, divisible } = slowest(operators, lanes);
  return divisible ? raised(lanes, id) : undefined;
}

/** All that is left to the slowest. */
export function local({ operators, lanes, cores }) {
  const { id, divisible } = slowest(operators, lanes);
  return divisible ? raised(lanes, id, Math.max(1, cores - total(lanes))) : undefined;
}

/** What `local` expects: the slowest with all that is left, and nobody else in the way. */
export function localRate({ operators, lanes, cores }) {
  const bottleneck = slowest(operators, lanes);
  const left = bottleneck.divisible ? Math.max(0, cores - total(lanes)) : 0;
  return rateOf(raised(lanes, bottleneck.id, left), bottleneck);
}

/** Modelled time from asking for an element to having it, nothing running ahead: tf.data's output latency. */
const latency = (operators, lanes) => operators.reduce((sum, each) => sum + 1 / rateOf(lanes, each), 0);

/**
 * Like tf.data's AUTOTUNE: climbs down the output latency, one thread at a time where it helps most, until an element comes as fast as all
 * cores could make it or every operator has as many threads as there are cores.
 */
export function autotuned({ operators, cores }) {
  const goal = operators.reduce((sum, { seconds }) => sum + seconds, 0) / cores;
  let lanes = new Map(operators.map(({ id }) => [id, 1]));
  for (;;) {
    const open = operators.filter(({ id, divisible }) => divisible && lanes.get(id) < cores);
    if (open.length === 0 || latency(operators, lanes) <= goal) return lanes;
    const next = open.map(({ id }) => raised(lanes, id));
    lanes = next.reduce((a, b) => (latency(operators, b) < latency(operators, a) ? b : a));
  }
}

/** What AUTOTUNE's model expects of the lanes there are; it knows no cores. */
export const autotuneRate = ({ operators, lanes }) => 1 / latency(operators, lanes);
