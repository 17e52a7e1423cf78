import { VenturiError } from '../../model/errors.ts';
import { caught, describeThrown } from './thrown.ts';

/** How an error got loose: thrown by a timer or another callback, or the reason of a promise that nobody waited for. */
export type Escape = 'uncaughtException' | 'unhandledRejection';

const ESCAPES: readonly Escape[] = ['uncaughtException', 'unhandledRejection'];

type Found = (thrown: unknown, escape: Escape) => void;

/** Whoever began to watch last is told. */
const watchers: Found[] = [];

const LISTENERS: Readonly<Record<Escape, (thrown: unknown) => void>> = {
  uncaughtException: thrown => hear('uncaughtException', thrown),
  unhandledRejection: thrown => hear('unhandledRejection', thrown),
};

/** An author who listens himself has taken care of it. */
function hear(escape: Escape, thrown: unknown): void {
  const others = process.listeners(escape as 'uncaughtException').some(listener => listener !== LISTENERS[escape]);
  if (!others) watchers.at(-1)?.(caught(thrown), escape);
}

/** Tells of errors in this thread that nobody caught, which no longer end it. The returned function ends the watch. */
export function watchStrays(found: Found): () => void {
  if (watchers.push(found) === 1) for (const escape of ESCAPES) process.on(escape, LISTENERS[escape]);
  return () => {
    const at = watchers.indexOf(found);
    if (at < 0) return;
    watchers.splice(at, 1);
    if (watchers.length === 0) for (const escape of ESCAPES) process.off(escape, LISTENERS[escape]);
  };
}

/** `where`: an operator or several, or a thread. */
export function strayError(thrown: unknown, escape: Escape, where: string, location?: string): VenturiError {
  const what =
    escape === 'unhandledRejection'
      ? `nobody handled a promise of ${where} that was rejected`
      : `nobody caught what a callback of ${where} threw`;
  return new VenturiError('VENTURI_UNCAUGHT', `${what}: ${describeThrown(thrown)}`, {
    cause: thrown,
    remedy: `await every promise, and catch what timers and other callbacks throw${location === undefined ? '' : `; the operator stands at ${location}`}`,
  });
}
