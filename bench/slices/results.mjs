/** What was measured, in a file with a line of JSON for each, to which a later call adds its own: a bench that takes long is run in slices. */
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { option } from '../harness.mjs';

export class Results {
  #file;
  all;

  /** In memory alone where no file is given. */
  constructor(file) {
    this.#file = file;
    const lines = file !== undefined && existsSync(file) ? readFileSync(file, 'utf8').trimEnd().split('\n') : [];
    this.all = lines.filter(line => line !== '').map(line => JSON.parse(line));
  }

  add(result) {
    this.all.push(result);
    if (this.#file !== undefined) appendFileSync(this.#file, `${JSON.stringify(result)}\n`);
  }
}

/** Time for one slice: what would probably not be over by its end is left for the next call. */
export class Slice {
  #began = performance.now();
  #longest = 0;
  #ms;

  constructor(minutes) {
    this.#ms = minutes * 60_000;
  }

  /** Does all of a list that time is left for; gives what was left out. Whatever is done first is done. */
  async each(list, work) {
    for (const [at, one] of list.entries()) {
      const now = performance.now();
      if (now - this.#began + this.#longest > this.#ms) return list.slice(at);
      await work(one);
      this.#longest = Math.max(this.#longest, performance.now() - now);
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
