import { compileFunction } from 'node:vm';
import { stackOf } from '../../../errors/thrown.ts';
import { mixPath } from '../../../math/random.ts';
import { fuse } from '../../compile/fuse.ts';
import type { FusedOperator, FuseOptions } from '../../compile/fused-chain.ts';
import { claimLines } from '../../compile/scripts.ts';
import { loopFile } from '../../compile/segments.ts';
import type { Stacking } from '../../operators/stacking.ts';
import { ambient } from '../calls/ambient.ts';
import type { ElementContext } from '../calls/element-context.ts';
import { SKIPPED } from '../calls/guard.ts';
import type { Sampler } from './sampler.ts';
import type { Sink } from './sink.ts';

/** The series a counting source stands for. */
export interface Series {
  readonly start: number;
  readonly step: number;
}

/** A generated loop, ready to run. */
export interface Segment {
  run(
    values: ArrayLike<unknown> | Series,
    from: number,
    to: number,
    sequence: ArrayLike<number> | undefined,
    sub: ArrayLike<number> | undefined,
    base: number,
  ): number;
  flush(at: number): void;
  reset(at: number): void;
  /** Number of the element that operator `at` last handed on after holding it back; undefined where numbers are not carried. */
  held(at: number): number | undefined;
  fold(count: number, elementsIn: Float64Array, elementsOut: Float64Array): void;
  /** What operator `at` keeps between elements; undefined: nothing. */
  save(at: number): object | undefined;
  load(at: number, saved: unknown): void;
  /** The next `count` elements that would reach operator `at` are dropped. */
  discard(at: number, count: number): void;
  /** The operator that wants no more elements, or -1. */
  stopped(): number;
  resume(): void;
}

export interface SegmentParts {
  readonly operators: readonly FusedOperator[];
  readonly calls: readonly unknown[];
  readonly contexts: readonly (ElementContext | undefined)[];
  readonly draws: readonly unknown[];
  /** By operator: the batch that it makes, where it stacks. */
  readonly stacks: readonly (Stacking | undefined)[];
  readonly sink: Sink;
  readonly sampler: Sampler | undefined;
  /** What was drawn from the runtime since the last call was operator `at`'s. */
  settle(at: number): void;
}

let compiled = 0;

/** A function returned a promise that nobody would wait for. */
export class Promised extends Error {
  readonly owner: number;

  constructor(promise: Promise<unknown>, owner: number) {
    super('a promise was returned');
    this.owner = owner;
    promise.catch(() => undefined);
  }
}

const promised = (promise: Promise<unknown>, owner: number): never => {
  throw new Promised(promise, owner);
};

/** A segment with the way back from its generated lines to its operators. */
export class CompiledSegment {
  readonly loop: Segment;
  /** As stack traces and profiles name it. */
  readonly file: string;
  /** Number of its first line there: no other loop of this thread has any of its lines. */
  readonly firstLine: number;
  readonly text: string;
  readonly tasks: readonly (string | undefined)[];
  /** By line, the first being 1: the operator it belongs to. */
  readonly owners: readonly (number | undefined)[];
  readonly #parts: SegmentParts;
  /** Not everything that is thrown has a stack, and not every stack reaches the loop: the operators by what was left when the loop was. */
  readonly #blame: {
    /** Its function threw. */
    caller: number | undefined;
    /** It threw where an operator was handing out items: that was it, unless it can be said to have been one behind it. */
    iterator: number | undefined;
  } = { caller: undefined, iterator: undefined };

  constructor(stage: string, parts: SegmentParts, options: Omit<FuseOptions, 'nonce' | 'timed'>) {
    this.file = loopFile(stage, compiled++);
    const { text, owners, tasks } = fuse(parts.operators, {
      ...options,
      timed: parts.sampler !== undefined,
      nonce: `${this.file} ${process.pid} ${performance.now()}`,
    });
    this.text = text;
    this.owners = owners;
    this.tasks = tasks;
    this.firstLine = claimLines(owners.length);
    const { calls, contexts, sink, sampler, draws, stacks, settle } = parts;
    const blame = this.#blame;
    // By the names that generated lines have for them.
    const scope = {
      calls,
      contexts,
      sink,
      sampler,
      draws,
      stacks,
      mixPath,
      promised,
      skipped: SKIPPED,
      ambient,
      settle,
      blame,
    };
    const build = compileFunction(text, Object.keys(scope), {
      filename: this.file,
      lineOffset: this.firstLine - 1,
    });
    this.loop = build(...Object.values(scope)) as Segment;
    this.#parts = parts;
  }

  /** Number of the element that operator `owner` had when the loop threw; undefined where that is not known. */
  elementAt(owner: number): number | undefined {
    const holder = this.#parts.operators.findLastIndex(({ kind }, at) => at < owner && kind.flush !== undefined);
    return holder < 0 ? this.#parts.sink.failed : this.loop.held(holder);
  }

  /** The operator whose function threw `error`; undefined where that cannot be told. */
  ownerOf(error: unknown): number | undefined {
    if (error instanceof Promised) return error.owner;
    const { caller, iterator } = this.#blame;
    return caller ?? this.lineOwner(error) ?? iterator ?? this.#onlyCaller();
  }

  /** The operator in whose generated line `error` was thrown, if its stack reaches that far. */
  lineOwner(error: unknown): number | undefined {
    const stack = stackOf(error);
    if (stack === undefined) return undefined;
    const at = stack.indexOf(`${this.file}:`);
    if (at < 0) return undefined;
    const line = Number.parseInt(stack.slice(at + this.file.length + 1), 10);
    return this.#ownerOfLine(line);
  }

  /** The operator that is being worked on, seen from inside its function. */
  ownerAmong(sites: readonly NodeJS.CallSite[]): number | undefined {
    const line = sites.find(site => site.getFileName() === this.file)?.getLineNumber();
    return typeof line === 'number' ? this.#ownerOfLine(line) : undefined;
  }

  #ownerOfLine(line: number): number | undefined {
    return this.owners[line - this.firstLine + 1];
  }

  #onlyCaller(): number | undefined {
    const callers = this.#parts.calls.flatMap((call, at) => (call === undefined ? [] : [at]));
    return callers.length === 1 ? callers[0] : undefined;
  }
}
