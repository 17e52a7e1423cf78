import { inspect, types } from 'node:util';

/** Anything can be thrown: what has no text, what throws when it is looked at, and a novel. */
const LONGEST_TEXT = 4096;
const LONGEST_STACK = 32_768;

/** Of causes, and of errors that one gathers, so many are told, and not more than this of each. */
const MOST_CAUSES = 5;
const MOST_GATHERED = 3;
const LONGEST_REASON = 500;
const LONGEST_CODE = 80;

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

export function causeOf(error: unknown): unknown {
  try {
    return error instanceof Error ? caught(error.cause) : undefined;
  } catch {
    return undefined;
  }
}

const shown = (read: () => unknown): string =>
  textFrom(() => inspect(read(), { maxStringLength: LONGEST_TEXT }), LONGEST_TEXT) ??
  textFrom(() => inspect(read(), { customInspect: false, depth: 0 }), LONGEST_TEXT) ??
  UNREADABLE;

/** In words, with what it says of its causes. */
export function describeThrown(thrown: unknown): string {
  const value = caught(thrown);
  return value instanceof Error ? withReasons(oneThrown(value), value) : oneThrown(value);
}

function oneThrown(value: unknown): string {
  if (value instanceof ThrownProxy) return `a proxy, ${UNREADABLE}`;
  if (value instanceof Error) return [nameOf(value), messageOf(value)].filter(text => text !== '').join(': ');
  return textFrom(() => value, LONGEST_TEXT) ?? shown(() => value);
}

/** Adds errors that `error` gathers and the chain of its causes to its `text`: `fetch failed` alone helps nobody. */
function withReasons(text: string, error: Error): string {
  let told = text + gathered(error);
  const seen = new Set<unknown>([error]);
  for (let cause = causeOf(error); seen.size <= MOST_CAUSES; cause = causeOf(cause)) {
    if (cause === undefined || cause === null || seen.has(cause)) break;
    seen.add(cause);
    const reason = reasonOf(cause);
    // Many put the message of the cause into their own.
    const isTold = told.includes(cause instanceof Error ? messageOf(cause) || reason : reason);
    told += `${isTold ? '' : `, caused by ${reason}`}${gathered(cause)}`;
    if (!(cause instanceof Error)) break;
  }
  return told;
}

/** The errors of an AggregateError. */
function gathered(error: unknown): string {
  const errors = errorsOf(error);
  if (errors.length === 0) return '';
  const reasons = errors.slice(0, MOST_GATHERED).map(each => reasonOf(caught(each)));
  const more = errors.length > MOST_GATHERED ? [`and ${errors.length - MOST_GATHERED} more`] : [];
  return ` (${[...reasons, ...more].join('; ')})`;
}

function errorsOf(error: unknown): readonly unknown[] {
  try {
    if (!(error instanceof AggregateError)) return [];
    const { errors } = error;
    return Array.isArray(errors) ? errors : [];
  } catch {
    return [];
  }
}

/** One of several reasons: short, and with its code, by which it can be looked up. */
function reasonOf(value: unknown): string {
  const whole = oneThrown(value);
  const text = whole.length <= LONGEST_REASON ? whole : `${whole.slice(0, LONGEST_REASON)}…`;
  const code = value instanceof Error ? textFrom(() => Reflect.get(value, 'code'), LONGEST_CODE) : undefined;
  return code === undefined || text.includes(code) ? text : `${text} (${code})`;
}
