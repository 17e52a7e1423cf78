import type { Run } from '../engine/contract/run.ts';
import { readHost } from '../probes/host/host.ts';
import { Arrivals } from './arrivals.ts';
import { RemainingTime } from './remaining-time.ts';

export interface LiveProgress {
  readonly seconds: number;
  /** Those that have come to an end: at the consumer, or in a sink. */
  readonly elements: number;
  /** Over the last few seconds. */
  readonly elementsPerSecond: number;
  readonly bytesPerSecond: number;
  readonly coresBusy: number;
  readonly coresUsable: number;
  readonly done: number | undefined;
  readonly etaSeconds: number | undefined;
}

const EVERY_MS = 200;
/** Readings a rate is taken over: three seconds. */
const WINDOW = 15;

/** What of a run is reported. */
export interface WatchOptions {
  /** The operator whose elements are counted; all that come to an end where absent. */
  readonly root?: string | undefined;
  /** When the run is stopped. */
  readonly limitSeconds?: number | undefined;
}

/** Reports where a run stands, five times a second. Returns how to stop that. */
export function watchProgress(
  run: Run<unknown>,
  report: ((progress: LiveProgress) => void) | undefined,
  { root, limitSeconds }: WatchOptions = {},
): () => void {
  if (report === undefined) return () => undefined;
  const { coresUsable } = readHost();
  const began = performance.now();
  const arrivals = new Arrivals(run, root);
  const readings = [reading(run, arrivals, began)];
  const remaining = new RemainingTime(limitSeconds);
  const timer = setInterval(() => {
    const now = reading(run, arrivals, began);
    const then = readings[0] ?? now;
    readings.push(now);
    if (readings.length > WINDOW) readings.shift();
    const span = Math.max(1e-3, now.seconds - then.seconds);
    const { done } = now;
    report({
      seconds: now.seconds,
      elements: now.elements,
      elementsPerSecond: (now.elements - then.elements) / span,
      bytesPerSecond: (now.bytes - then.bytes) / span,
      coresBusy: (now.cpuSeconds - then.cpuSeconds) / span,
      coresUsable,
      done,
      etaSeconds: remaining.after(now.seconds, done),
    });
  }, EVERY_MS);
  return () => clearInterval(timer);
}

function reading(
  run: Run<unknown>,
  arrivals: Arrivals,
  began: number,
): {
  readonly seconds: number;
  readonly elements: number;
  readonly bytes: number;
  readonly cpuSeconds: number;
  readonly done: number | undefined;
} {
  const { bytes, done } = run.progress();
  const { elements } = arrivals;
  const { user, system } = process.cpuUsage();
  return { seconds: (performance.now() - began) / 1000, elements, bytes, cpuSeconds: (user + system) / 1e6, done };
}
