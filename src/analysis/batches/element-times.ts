import { LogHistogram } from '../../math/histogram.ts';
import { sumOf } from '../../math/totals.ts';

const SHORT = 1e7;
const SHORTEST = 1e5;

/** How long an operator took on the elements that were timed (T3), in memory that does not grow with their number. */
export class OperatorTimes {
  readonly spans = new LogHistogram();
  /** Time not spent in operators inside it. */
  self = 0;
  below10ms = 0;
  below100us = 0;

  add(duration: number, self: number): void {
    this.spans.add(duration);
    this.self += self;
    if (duration < SHORT) this.below10ms++;
    if (duration < SHORTEST) this.below100us++;
  }
}

interface Open {
  readonly start: number;
  readonly duration: number;
}

/**
 * Divides the time of one element among the operators inside it. They come in the order in which they ended, so what an
 * operator holds came before it.
 */
export class ElementNesting {
  #operator: string | undefined;
  #duration = 0;
  #inside: Open[] = [];
  readonly #times: (operator: string) => OperatorTimes;

  constructor(times: (operator: string) => OperatorTimes) {
    this.#times = times;
  }

  /** A new element, or something that is none (`operator` undefined); the one before it is complete. */
  begin(operator: string | undefined, duration: number): void {
    if (this.#operator !== undefined) {
      const inside = sumOf(this.#inside, span => span.duration);
      this.#times(this.#operator).add(this.#duration, Math.max(0, this.#duration - inside));
    }
    this.#operator = operator;
    this.#duration = duration;
    this.#inside = [];
  }

  inner(operator: string, start: number, duration: number): void {
    let held = 0;
    for (let last = this.#inside.at(-1); last !== undefined && last.start >= start; last = this.#inside.at(-1)) {
      held += last.duration;
      this.#inside.pop();
    }
    this.#inside.push({ start, duration });
    this.#times(operator).add(duration, Math.max(0, duration - held));
  }
}
