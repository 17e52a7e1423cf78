/** The steady rate of a run, by looking at its progress. */
import { cpuSeconds } from '../harness.mjs';

/** A rate that has grown by more than this factor from the first half of its time to the second is not steady yet: lanes still fill. */
const GROWN = 1.1;
/** So many times at most it starts again. */
const MOST_AGAIN = 6;

/** How often it looks: rarely while it is recorded, since looking is work of the program too. */
const LOOK_MS = { measured: 3, recorded: 50 };

/**
 * Looks often, and notes the moments at which elements have come. The rate is taken over `seconds` in which it does not grow, from `warm` seconds after the end of
 * the first epoch, in which caches are filled: so that V8 has compiled as much of what comes behind a cache whether that took long or
 * not; `first` is the rate of that epoch, from its first elements on. `count` tells how many have come since `began` (`performance.now()`).
 */
export function steady(count, { began, perEpoch, warm, seconds, isRecorded = false }) {
  return new Promise(resolve => {
    let begin;
    let first;
    let from;
    let middle;
    let again = 0;
    let before = 0;
    const look = () => {
      const elements = count();
      if (elements === before) return;
      before = elements;
      const now = { elements, wall: performance.now() - began, cpu: cpuSeconds() };
      begin ??= now;
      if (elements >= perEpoch) first ??= now;
      if (first !== undefined && now.wall >= first.wall + warm * 1000) from ??= now;
      if (from === undefined) return;
      if (now.wall - from.wall >= seconds * 500) middle ??= now;
      if (now.wall - from.wall < seconds * 1000) return;
      const rateOf = (since, until) => (until.elements - since.elements) / (until.wall - since.wall);
      if (middle !== now && rateOf(middle, now) > GROWN * rateOf(from, middle) && again++ < MOST_AGAIN) {
        from = now;
        middle = undefined;
        return;
      }
      clearInterval(timer);
      const passed = now.elements - from.elements;
      resolve({
        rate: (1000 * passed) / (now.wall - from.wall),
        cpu: (now.cpu - from.cpu) / passed,
        first: (1000 * (first.elements - begin.elements)) / (first.wall - begin.wall),
      });
    };
    // The run keeps the process alive; one that has failed does not.
    const timer = setInterval(look, isRecorded ? LOOK_MS.recorded : LOOK_MS.measured).unref();
  });
}
