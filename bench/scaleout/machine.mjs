/** CPU time of the machine, and of what it is asked to do for the bench. */
import { readdirSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';

/** Of the kernel's clock in /proc, per second: the same on every Linux that Node runs on. */
const TICKS = 100;
/** In /proc/PID/stat, counted from behind the name: parent, and the CPU time of a process and of those of its children that have ended. */
const PARENT = 1;
const TIMES = { from: 11, to: 15 };
/** In the first line of /proc/stat: what the machine did not do anything in, and where the times that others were served begin, which are counted already. */
const IDLE = [3, 4];
const COUNTED_TWICE = 8;

const sum = values => values.reduce((total, value) => total + value, 0);

/** CPU time so far, in s: of the machine, and of these processes and all that they started. */
export class CpuTime {
  constructor(roots) {
    this.moment = performance.now() / 1e3;
    const words = readFileSync('/proc/stat', 'utf8').split('\n', 1)[0].trim().split(/\s+/).slice(1).map(Number);
    this.machine = sum(words.slice(0, COUNTED_TWICE).filter((_, at) => !IDLE.includes(at))) / TICKS;
    this.own = sum(descendants(roots).map(({ ticks }) => ticks)) / TICKS;
  }

  /** Shares of the machine since then: what it did, and what of that was for none of the processes. */
  since(before) {
    const capacity = (this.moment - before.moment) * availableParallelism();
    const machine = (this.machine - before.machine) / capacity;
    return { machine, others: machine - (this.own - before.own) / capacity };
  }
}

function descendants(roots) {
  const children = new Map();
  for (const name of readdirSync('/proc')) {
    const found = /^\d+$/.test(name) ? processOf(name) : undefined;
    if (found !== undefined) children.set(found.parent, [...(children.get(found.parent) ?? []), found]);
  }
  const all = roots.map(processOf).filter(found => found !== undefined);
  // Grows while it is gone through.
  for (const { id } of all) all.push(...(children.get(id) ?? []));
  return all;
}

/** Undefined where it has ended meanwhile. */
function processOf(id) {
  try {
    const text = readFileSync(`/proc/${id}/stat`, 'utf8');
    const words = text
      .slice(text.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number);
    return { id: Number(id), parent: words[PARENT], ticks: sum(words.slice(TIMES.from, TIMES.to)) };
  } catch {
    return undefined;
  }
}
