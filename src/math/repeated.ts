import { type Interval, mean, standardDeviation } from './statistics.ts';
import { studentQuantile } from './student.ts';

/** How far above and below its estimate an interval reaches, on the logarithmic scale. */
interface Width {
  readonly down: number;
  readonly up: number;
}

const logWidth = ({ estimate, low, high }: Interval): Width => ({
  down: low > 0 ? Math.max(0, Math.log(estimate / low)) : Number.POSITIVE_INFINITY,
  up: high > 0 ? Math.max(0, Math.log(high / estimate)) : Number.POSITIVE_INFINITY,
});

const about = (estimate: number, { down, up }: Width, confidence: number): Interval => ({
  estimate,
  low: estimate * Math.exp(-down),
  high: estimate * Math.exp(up),
  confidence,
});

/**
 * Half-widths of the interval of a mean of logarithms: the larger of the error between values (Student's t) and the error
 * within them, from their own intervals. The second matters because two or three values may agree by chance.
 */
function widthOfMean(logs: readonly number[], own: readonly Width[], confidence: number): Width {
  const count = logs.length;
  const within = (end: keyof Width): number => Math.hypot(...own.map(width => width[end])) / count;
  const error = count < 2 ? 0 : standardDeviation(logs) / Math.sqrt(count);
  const between = count < 2 ? 0 : studentQuantile((1 + confidence) / 2, count - 1) * error;
  return { down: Math.max(between, within('down')), up: Math.max(between, within('up')) };
}

/** Several measurements of the same positive amount: their geometric mean and its interval. */
export function repeated(times: readonly Interval[]): Interval {
  const confidence = Math.min(...times.map(each => each.confidence));
  const logs = times.map(({ estimate }) => Math.log(estimate));
  return about(Math.exp(mean(logs)), widthOfMean(logs, times.map(logWidth), confidence), confidence);
}

/** A pair of amounts measured right after each other: a disturbance that hits both cancels in their quotient. */
export interface InTurn {
  readonly top: Interval;
  readonly bottom: Interval;
}

/** The quotient of two amounts with independent errors; unbounded where one of the two is. */
export const quotient = (top: Interval, bottom: Interval): Interval => quotientInTurn([{ top, bottom }]);

/** The quotient of two amounts measured in turn: the geometric mean of its values and its interval. */
export function quotientInTurn(pairs: readonly InTurn[]): Interval {
  const confidence = Math.min(...pairs.flatMap(({ top, bottom }) => [top.confidence, bottom.confidence]));
  const logs = pairs.map(({ top, bottom }) => Math.log(top.estimate / bottom.estimate));
  const own = pairs.map(({ top, bottom }): Width => {
    const [above, below] = [logWidth(top), logWidth(bottom)];
    return { down: Math.hypot(above.down, below.up), up: Math.hypot(above.up, below.down) };
  });
  return about(Math.exp(mean(logs)), widthOfMean(logs, own, confidence), confidence);
}
