import { inspect, types } from 'node:util';

/** Anything can be thrown: what has no text, what throws when it is looked at, and a novel. */
const LONGEST_TEXT = 4096;
const LONGEST_STACK = 32_768;

const UNREADABLE = 'something that cannot be shown';

/** Stands for a thrown proxy: every look at one runs code of whoever made it. */
export class ThrownProxy extends Error {
  override readonly name = 'Proxy';

  constructor() {
    super(UNREADABLE);
    this.stack = '';
  }
}

/** What was caught, safe to be asked for its class. */
export const caught = (thrown: unknown): unknown => (types.isProxy(thrown) ? new ThrownProxy() : thrown);

/** `value` as `read` gives it, where that is text. */
function textFrom(read: () => unknown, longest: number): string | undefined {
  try {
    const text = read();
    if (typeof text !== 'string') return undefined;
    return text.length <= longest ? text : `${text.slice(0, longest)}… (${text.length} characters)`;
  } catch {
    return undefined;
  }
}

export const messageOf = (error: Error): string =>
  textFrom(() => error.message, LONGEST_TEXT) ?? shown(() => error.message);

export const nameOf = (error: Error): string => textFrom(() => error.name, LONGEST_TEXT) ?? 'Error';

/** Undefined where there is none that is text. */
export const stackOf = (thrown: unknown): string | undefined =>
  textFrom(() => (types.isProxy(thrown) ? undefined : (thrown as Partial<Error>).stack), LONGEST_STACK);

export function causeOf(error: Error): unknown {
  try {
    return caught(error.cause);
  } catch {
    return undefined;
  }
}

const shown = (read: () => unknown): string =>
  textFrom(() => inspect(read(), { maxStringLength: LONGEST_TEXT }), LONGEST_TEXT) ??
  textFrom(() => inspect(read(), { customInspect: false, depth: 0 }), LONGEST_TEXT) ??
  UNREADABLE;

/** In words. */
export function describeThrown(thrown: unknown): string {
  const value = caught(thrown);
  if (value instanceof ThrownProxy) return `a proxy, ${UNREADABLE}`;
  if (value instanceof Error) return `${nameOf(value)}: ${messageOf(value)}`;
  return textFrom(() => value, LONGEST_TEXT) ?? shown(() => value);
}
