import { Session } from 'node:inspector';

/** Where a function begins, counted from 0, how many lines it has, and what stands in it. */
export interface FunctionPlace {
  readonly line: number;
  readonly column: number;
  readonly lines: number;
  /** Names that stand in its text: what it may call. */
  readonly mentions: readonly string[];
}

/** A name that nobody else has in the global object, for as long as it takes. */
const HANDLE = '__venturi_profiled_functions';

const NAME = /[\p{ID_Start}$_][\p{ID_Continue}$]*/gu;

/** Asks V8 where functions begin; undefined for one that is V8's own, or bound. */
export function placesOf(functions: readonly unknown[]): readonly (FunctionPlace | undefined)[] {
  const session = new Session();
  session.connect();
  const property = { value: functions, configurable: true, enumerable: false };
  Object.defineProperty(globalThis, HANDLE, property);
  try {
    const { result } = ask<{ result: Remote }>(session, 'Runtime.evaluate', { expression: `globalThis.${HANDLE}` });
    const items = propertiesOf(session, result).result;
    return functions.map((each, at) => {
      const remote = items.find(({ name }) => name === String(at))?.value;
      if (typeof each !== 'function' || remote?.objectId === undefined) return undefined;
      const internal = propertiesOf(session, remote).internalProperties ?? [];
      const place = internal.find(({ name }) => name === '[[FunctionLocation]]')?.value?.value;
      if (place === undefined) return undefined;
      const { lineNumber, columnNumber = 0 } = place;
      const text = Function.prototype.toString.call(each);
      const mentions = [...new Set(text.match(NAME) ?? [])];
      return { line: lineNumber, column: columnNumber, lines: text.split('\n').length, mentions };
    });
  } finally {
    Reflect.deleteProperty(globalThis, HANDLE);
    session.disconnect();
  }
}

interface Remote {
  readonly objectId?: string;
  readonly value?: { readonly lineNumber: number; readonly columnNumber?: number };
}

interface Properties {
  readonly result: readonly { readonly name: string; readonly value?: Remote }[];
  readonly internalProperties?: readonly { readonly name: string; readonly value?: Remote }[];
}

const propertiesOf = (session: Session, { objectId }: Remote): Properties =>
  ask(session, 'Runtime.getProperties', { objectId, ownProperties: true });

/** A thread that asks itself is answered at once. */
function ask<T>(session: Session, method: string, parameters: object): T {
  let answer: { readonly error: Error | null; readonly result?: object } | undefined;
  session.post(method, parameters, (error, result) => {
    answer = { error, ...(result === undefined ? {} : { result }) };
  });
  if (answer === undefined) throw new Error(`the inspector did not answer ${method}`);
  if (answer.error !== null) throw answer.error;
  return answer.result as T;
}
