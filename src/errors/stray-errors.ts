import { VenturiError } from '../model/errors.ts';
import { caught, describeThrown } from './thrown.ts';

/** How an error got loose: thrown by a timer or another callback, or the reason of a promise that nobody waited for. */
export type StrayKind = 'uncaughtException' | 'unhandledRejection';

const KINDS: readonly StrayKind[] = ['uncaughtException', 'unhandledRejection'];

type Found = (thrown: unknown, kind: StrayKind) => void;

/** Whoever began to watch last is told. */
const watchers: Found[] = [];

const LISTENERS: Readonly<Record<StrayKind, (thrown: unknown) => void>> = {
  uncaughtException: thrown => hear('uncaughtException', thrown),
  unhandledRejection: thrown => hear('unhandledRejection', thrown),
};

/** An author who listens himself has taken care of it. */
function hear(kind: StrayKind, thrown: unknown): void {
  const others = process.listeners(kind as 'uncaughtException').some(listener => listener !== LISTENERS[kind]);
  if (!others) watchers.at(-1)?.(caught(thrown), kind);
}

/** Tells of errors in this thread that nobody caught, which no longer end it. The returned function ends the watch. */
export function watchStrays(found: Found): () => void {
  if (watchers.push(found) === 1) for (const kind of KINDS) process.on(kind, LISTENERS[kind]);
  return () => {
    const at = watchers.indexOf(found);
    if (at < 0) return;
    watchers.splice(at, 1);
    if (watchers.length === 0) for (const kind of KINDS) process.off(kind, LISTENERS[kind]);
  };
}

/** `where`: an operator or several, or a thread. */
export function strayError(thrown: unknown, kind: StrayKind, where: string, location?: string): VenturiError {
  const what =
    kind === 'unhandledRejection'
      ? `nobody handled a promise of ${where} that was rejected`
      : `nobody caught what a callback of ${where} threw`;
  return new VenturiError('VENTURI_UNCAUGHT', `${what}: ${describeThrown(thrown)}`, {
    cause: thrown,
    remedy: `await every promise, and catch what timers and other callbacks throw${location === undefined ? '' : `; the operator stands at ${location}`}`,
  });
}
