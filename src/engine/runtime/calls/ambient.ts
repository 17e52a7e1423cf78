import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';

/** Functions of `node:crypto` whose results are random. Its `getRandomValues` calls the global one. */
const CRYPTO = [
  'randomBytes',
  'randomFill',
  'randomFillSync',
  'randomInt',
  'randomUUID',
  'generateKey',
  'generateKeySync',
  'generateKeyPair',
  'generateKeyPairSync',
  'generatePrime',
  'generatePrimeSync',
] as const;

/**
 * Random numbers that this thread drew from the runtime instead of the engine: `Math.random` and the random functions of
 * `crypto`. Only calls are counted; what they return, and in which order, stays as it was. Whoever calls an operator's
 * code takes what was drawn meanwhile and knows whose draws they were.
 */
class Ambient {
  /** Draws so far. Generated loops compare it with `settled`. */
  count = 0;
  /** Draws whose operator is known, or which are nobody's. */
  settled = 0;
  /** The loop that is about to run settles what its operators draw one by one. */
  settling = false;
  /** Called on a draw inside a loop that does not. */
  trace: (() => void) | undefined;
  #watchers = 0;
  #restore: () => void = () => undefined;

  /** Draws since it was last called. */
  take(): number {
    const drawn = this.count - this.settled;
    this.settled = this.count;
    return drawn;
  }

  /** Counts from now on, until what it returns is called. A lane does so before it imports the user's module. */
  watch(): () => void {
    if (this.#watchers++ === 0) this.#restore = countDraws(this);
    let watching = true;
    return () => {
      if (!watching) return;
      watching = false;
      if (--this.#watchers === 0) this.#restore();
    };
  }
}

/** This thread's. */
export const ambient = new Ambient();

/** Puts counting functions in the place of the runtime's own; returns how to put those back. */
function countDraws(draws: Ambient): () => void {
  const { random } = Math;
  const restore = [
    replace(Math, 'random', () => {
      draws.count++;
      if (draws.trace !== undefined) draws.trace();
      return random();
    }),
  ];
  // Calls that take microseconds can afford a proxy, which is the function in all else: its properties, its length.
  const watched = <F extends object>(original: F): F =>
    new Proxy(original, {
      apply(target, self, given) {
        draws.count++;
        draws.trace?.();
        return Reflect.apply(target as unknown as () => unknown, self, given);
      },
    });
  for (const name of CRYPTO) restore.push(replace(crypto, name, watched(crypto[name])));
  const web = Object.getPrototypeOf(globalThis.crypto) as typeof globalThis.crypto;
  for (const name of ['getRandomValues', 'randomUUID'] as const) restore.push(replace(web, name, watched(web[name])));
  // `import { randomInt } from 'node:crypto'` is a binding of its own.
  syncBuiltinESMExports();
  return () => {
    for (const back of restore.reverse()) back();
    syncBuiltinESMExports();
  };
}

/** Replaces a method, unless someone else did before it is put back. */
function replace<T extends object>(owner: T, name: keyof T, by: T[keyof T]): () => void {
  const before = Object.getOwnPropertyDescriptor(owner, name);
  if (before === undefined) return () => undefined;
  if (typeof by === 'function' && by.name !== name) Object.defineProperty(by, 'name', { value: name });
  Object.defineProperty(owner, name, { ...before, value: by });
  return () => {
    if (owner[name] === by) Object.defineProperty(owner, name, before);
  };
}

/** Where in the program this is, innermost first, however deep. */
export function callSites(): readonly NodeJS.CallSite[] {
  const { prepareStackTrace, stackTraceLimit } = Error;
  Error.stackTraceLimit = Number.POSITIVE_INFINITY;
  Error.prepareStackTrace = (_, sites) => sites;
  try {
    const here: { stack?: readonly NodeJS.CallSite[] } = {};
    Error.captureStackTrace(here, callSites);
    return here.stack ?? [];
  } finally {
    Error.prepareStackTrace = prepareStackTrace;
    Error.stackTraceLimit = stackTraceLimit;
  }
}
