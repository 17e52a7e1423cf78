/** What was measured, in a file with a line of JSON for each, to which a later call adds its own: a bench that takes long is run in slices. */
import { appendFileSync, existsSync, readFileSync, truncateSync } from 'node:fs';
import { option } from '../harness.mjs';

export class Results {
  #file;
  #asked;
  #all;

  /** `asked`: what measurements depend on; those of calls that asked for something else are left alone. In memory alone where no file is given. */
  constructor(file, asked = {}) {
    this.#file = file;
    this.#asked = asked;
    this.#all = file !== undefined && existsSync(file) ? linesOf(file).map(line => JSON.parse(line)) : [];
  }

  /** What was measured as it was asked for. */
  get all() {
    const facts = Object.entries(this.#asked);
    return this.#all.filter(each => facts.every(([key, fact]) => JSON.stringify(each[key]) === JSON.stringify(fact)));
  }

  add(result) {
    const told = { ...this.#asked, ...result };
    this.#all.push(told);
    if (this.#file !== undefined) appendFileSync(this.#file, `${JSON.stringify(told)}\n`);
  }
}

/** Whole lines: what a call was writing when it was ended is taken away. */
function linesOf(file) {
  const bytes = readFileSync(file);
  const end = bytes.lastIndexOf('\n') + 1;
  if (end < bytes.length) truncateSync(file, end);
  return bytes
    .toString('utf8', 0, end)
    .split('\n')
    .filter(line => line !== '');
}

/**
 * What is left to measure where sides take turns, round by round: the side that comes first in one round comes last in the next. `done`: how often a side
 * was measured before, by calls that may have ended in the midst of a round.
 */
export function turnsLeft(sides, rounds, done) {
  return Array.from({ length: rounds }, (_, round) => (round % 2 === 0 ? sides : sides.toReversed())).flatMap(
    (order, round) => order.filter(side => done(side) <= round).map(side => ({ side, round })),
  );
}

/** Time for one slice: what would probably not be over by its end is left for the next call. */
export class Slice {
  #now;
  #began;
  #longest = 0;
  #ms;

  constructor(minutes, now = () => performance.now()) {
    this.#now = now;
    this.#began = now();
    this.#ms = minutes * 60_000;
  }

  /** Does all of a list that time is left for; gives what was left out. Whatever is done first is done. */
  async each(list, work) {
    for (const [at, one] of list.entries()) {
      const now = this.#now();
      if (now - this.#began + this.#longest > this.#ms) return list.slice(at);
      await work(one);
      this.#longest = Math.max(this.#longest, this.#now() - now);
    }
    return [];
  }
}

/** Tells what is left for another call. */
export function reportLeft(report, left, args) {
  if (left.length === 0) return;
  const how =
    option(args, 'results') === undefined ? 'give it more --minutes, or --results FILE and call again' : 'call again';
  report({ case: 'left', absent: `no time for ${left.join(', ')} in this call: ${how}` });
}
