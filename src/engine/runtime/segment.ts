import { compileFunction } from 'node:vm';
import { mixPath } from '../../math/random.ts';
import { FUSED_PARAMETERS, type FusedOperator, type FuseOptions, fuse } from '../compile/fuse.ts';
import type { ElementContext } from './element-context.ts';
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
  fold(count: number, elementsIn: Float64Array, elementsOut: Float64Array): void;
  /** The operator that wants no more elements, or -1. */
  stopped(): number;
  resume(): void;
}

export interface SegmentParts {
  readonly operators: readonly FusedOperator[];
  readonly calls: readonly unknown[];
  readonly contexts: readonly (ElementContext | undefined)[];
  readonly draws: readonly unknown[];
  readonly sink: Sink;
  readonly sampler: Sampler | undefined;
}

let compiled = 0;

/** A segment with the way back from its generated lines to its operators. */
export class CompiledSegment {
  readonly loop: Segment;
  readonly #file: string;
  readonly #owners: readonly (number | undefined)[];

  constructor(stage: string, parts: SegmentParts, options: Omit<FuseOptions, 'nonce' | 'timed'>) {
    this.#file = `venturi:${stage.replaceAll(/[^\w+-]/g, '_')}.${compiled++}`;
    const { text, owners } = fuse(parts.operators, {
      ...options,
      timed: parts.sampler !== undefined,
      nonce: `${this.#file} ${process.pid} ${performance.now()}`,
    });
    this.#owners = owners;
    const build = compileFunction(text, [...FUSED_PARAMETERS], { filename: this.#file });
    this.loop = build(parts.calls, parts.contexts, parts.sink, parts.sampler, parts.draws, mixPath) as Segment;
  }

  /** The operator in whose generated line `error` was thrown; undefined where its stack does not reach that far. */
  ownerOf(error: unknown): number | undefined {
    if (!(error instanceof Error) || error.stack === undefined) return undefined;
    const at = error.stack.indexOf(`${this.#file}:`);
    if (at < 0) return undefined;
    const line = Number.parseInt(error.stack.slice(at + this.#file.length + 1), 10);
    return this.#owners[line];
  }
}
