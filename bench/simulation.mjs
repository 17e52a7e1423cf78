/**
 * Virtual time: events per second of CPU, of the agenda alone and of a clock whose lanes sleep and work in turn on shared cores.
 * Every case runs in a fresh process; this file is also that process's program.
 */
import { Agenda, VirtualClock } from 'venturi/simulation';
import { inChild, repeated, spread, timed } from './harness.mjs';
import { randomOf } from './virtual/random.mjs';

const EVENTS = 4e6;
const REPETITIONS = 5;

export default async function simulation(report) {
  for (const [role, pending] of [
    ['agenda', 100],
    ['agenda', 10_000],
    ['clock', 100],
    ['clock', 10_000],
  ]) {
    const rounds = await repeated(REPETITIONS, () => inChild(import.meta.url, [role, pending]));
    report({
      case: `${role}/${pending}-pending/events-per-second`,
      ...spread(rounds.map(({ cpu }) => EVENTS / cpu)),
      unit: 'events/cpu-s',
      goal: '>= 1e6',
    });
  }
}

/** Times that were drawn before: what is measured is the simulation. */
const TIMES = Float64Array.from(
  { length: 1 << 16 },
  (
    (random = randomOf(1)) =>
    () =>
      random.uniform()
  )(),
);

function agenda(pending) {
  const events = new Agenda();
  for (let event = 0; event < pending; event++) events.push(TIMES[event % TIMES.length], event);
  for (let done = 0; done < EVENTS; done++) {
    const now = events.firstMoment;
    events.push(now + TIMES[done % TIMES.length], events.pop());
  }
}

/** Each lane sleeps, works, sleeps …; half of them find a core at a time. */
function clock(pending) {
  const time = new VirtualClock(threads => Math.min(1, pending / 4 / threads));
  for (let lane = 0; lane < pending; lane++) time.after(TIMES[lane % TIMES.length], 2 * lane);
  for (let done = 0; done < EVENTS; done++) {
    const event = time.next();
    if (event % 2 === 0) time.work(TIMES[done % TIMES.length], 1, event + 1);
    else time.after(TIMES[done % TIMES.length], event - 1);
  }
}

if (process.argv[1] === new URL(import.meta.url).pathname) {
  const [role, pending] = process.argv.slice(2);
  const measured = await timed(() => ({ agenda, clock })[role](Number(pending)));
  process.stdout.write(JSON.stringify(measured));
}
