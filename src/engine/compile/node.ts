import type { Context, PerWorker } from '../contract/context.ts';
import { type DividedSource, isSeries, type SourceSpec } from '../contract/source.ts';
import type { CallPlace } from './call-place.ts';

/** A user function as a node holds it; the types of its argument and result live in the `Pipeline` that made it. */
export type UserFunction = (element: never, context: Context) => unknown;

/** One operator as its author wrote it. Immutable; a pipeline is its last node. */
export interface Node {
  readonly kind: string;
  readonly inputs: readonly Node[];
  readonly name: string | undefined;
  readonly parallelism: number | undefined;
  /** Calls of an async function that may be under way at once in one lane. */
  readonly concurrency: number | undefined;
  /** Plain data: batch size, buffer … Part of the graph's fingerprint. */
  readonly settings: Readonly<Record<string, unknown>>;
  readonly call: UserFunction | PerWorker<UserFunction> | undefined;
  /** The author's functions that `call` is made of, where it is the engine's own; none of them is told which element it has. */
  readonly madeOf?: readonly UserFunction[] | undefined;
  /** Sources only. */
  readonly source: SourceSpec | undefined;
  /** The function takes byte arrays it may not keep. */
  readonly borrow: boolean;
  /** Its author says whether it gives the same for the same element every time. */
  readonly random?: boolean | undefined;
  /** A sink whose effects do no harm in a trial. */
  readonly harmless?: boolean | undefined;
  /** Where its author wrote it. */
  readonly at: CallPlace | undefined;
}

/** An operator with no function, and nothing its author asked for. */
export const bareNode = (kind: string, inputs: readonly Node[], settings: Node['settings']): Node => ({
  kind,
  inputs,
  name: undefined,
  parallelism: undefined,
  concurrency: undefined,
  settings,
  call: undefined,
  source: undefined,
  borrow: false,
  at: undefined,
});

/** What happens to an element on which a function throws: it is tried again, then given up, or the run fails. */
export interface ErrorPolicy {
  readonly retries: number;
  readonly skip: boolean;
}

/** Undefined: the run fails. */
export const policyOf = (node: Node): ErrorPolicy | undefined => node.settings.onError as ErrorPolicy | undefined;

export const isPerWorker = (call: Node['call']): call is PerWorker<UserFunction> => typeof call === 'object';

/** Declared async: its calls are awaited, several at a time. */
export const isAsync = (call: unknown): boolean => Object.prototype.toString.call(call) === '[object AsyncFunction]';

/**
 * It is, or may be, told which element it has or in which pass: a function with a second parameter, one that is only made
 * in the workers, a source of the user's own, and whatever an `interleave` opens.
 */
export function takesContext({ kind, call, madeOf, source }: Node): boolean {
  if (source !== undefined && !isSeries(source)) return source.told === true;
  if (madeOf !== undefined) return false;
  return kind === 'interleave' || (call !== undefined && (isPerWorker(call) || call.length >= 2));
}

/** How its files are read apart from each other, where it is a source that can. */
export const dividedSource = ({ source }: Node): DividedSource | undefined =>
  source === undefined || isSeries(source) ? undefined : source.divided;

/** `last` and all it reads from, each once, behind what it reads from; the inputs of one operator in their order. */
export function nodesOf(last: Node): readonly Node[] {
  const ordered = new Set<Node>();
  // A chain may be longer than the call stack is deep.
  const path: { readonly node: Node; next: number }[] = [{ node: last, next: 0 }];
  for (let top = path.at(-1); top !== undefined; top = path.at(-1)) {
    const input = top.node.inputs[top.next++];
    if (input === undefined) {
      ordered.add(top.node);
      path.pop();
    } else if (!ordered.has(input)) {
      path.push({ node: input, next: 0 });
    }
  }
  return [...ordered];
}
