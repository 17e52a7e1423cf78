import type { Pipeline } from '../../api/pipeline.ts';
import { isSeries, type SourceReader, type SourceSpec } from '../../contract/source.ts';
import type { Losses } from '../calls/losses.ts';
import type { InlineOutput } from '../stage/inline-output.ts';
import type { MemoryGuard } from '../stage/memory-guard.ts';

/** A pipeline run inside another one's lane, for one element of it. */
export interface Inner {
  /** The next elements, at most about `limit`; none at the end. */
  read(limit: number): unknown[] | Promise<unknown[]>;
  /** Where the next element lies, for `from` when it is opened again; undefined where it cannot tell. */
  position(): unknown;
  close(): void | Promise<void>;
}

/** The stages of a pipeline on this thread, as far as they are needed here. */
export interface InnerStages {
  readonly finished: boolean;
  readonly output: InlineOutput;
  step(): void | Promise<void>;
  close(): Promise<unknown>;
}

export interface InnerParts {
  readonly signal: AbortSignal;
  readonly memory: MemoryGuard;
  /** Runs a pipeline on this thread; `seed` is its own. */
  stages(pipeline: Pipeline<unknown>, seed: number, losses: Losses): Promise<InnerStages>;
}

/** Most elements of a pipeline of nothing but a source could be read without generating any code, and are. */
export function openInner(
  pipeline: Pipeline<unknown>,
  seed: number,
  parts: InnerParts,
  losses: Losses,
  from?: unknown,
): Inner {
  const { source } = pipeline.node;
  if (source !== undefined && !isSeries(source)) return new InnerSource(source, parts, losses, from);
  return new InnerPipeline(parts.stages(pipeline, seed, losses));
}

class InnerSource implements Inner {
  readonly #spec: Exclude<SourceSpec, { readonly series: unknown }>;
  readonly #parts: InnerParts;
  readonly #losses: Losses;
  #reader: SourceReader | undefined;

  readonly #from: unknown;

  constructor(
    spec: Exclude<SourceSpec, { readonly series: unknown }>,
    parts: InnerParts,
    losses: Losses,
    from: unknown,
  ) {
    this.#spec = spec;
    this.#losses = losses;
    this.#parts = parts;
    this.#from = from;
  }

  position(): unknown {
    return this.#reader === undefined ? this.#from : this.#reader.position?.();
  }

  read(limit: number): unknown[] | Promise<unknown[]> {
    if (this.#reader !== undefined) return readFrom(this.#reader, limit);
    const { signal, memory } = this.#parts;
    const opened = this.#spec({
      signal,
      epoch: 0,
      memory: memory.allowance,
      budget: memory.budget,
      relieve: () => memory.check(),
      giveUp: this.#losses.add,
      ...(this.#from !== undefined && { from: this.#from }),
    });
    if (!(opened instanceof Promise)) {
      this.#reader = opened;
      return readFrom(opened, limit);
    }
    return opened.then(reader => {
      this.#reader = reader;
      return readFrom(reader, limit);
    });
  }

  close(): void | Promise<void> {
    return this.#reader?.close();
  }
}

function readFrom(reader: SourceReader, limit: number): unknown[] | Promise<unknown[]> {
  const into: unknown[] = [];
  const count = reader.read(into, limit);
  return count instanceof Promise ? count.then(() => into) : into;
}

class InnerPipeline implements Inner {
  readonly #opened: Promise<InnerStages>;
  #stages: InnerStages | undefined;

  constructor(opened: Promise<InnerStages>) {
    this.#opened = opened;
    // Whoever reads is told.
    opened.catch(() => undefined);
  }

  position(): undefined {
    return undefined;
  }

  read(): unknown[] | Promise<unknown[]> {
    if (this.#stages !== undefined) return this.#read(this.#stages);
    return this.#opened.then(stages => {
      this.#stages = stages;
      return this.#read(stages);
    });
  }

  #read(stages: InnerStages): unknown[] | Promise<unknown[]> {
    while (!stages.finished && stages.output.count === 0) {
      const stepped = stages.step();
      if (stepped instanceof Promise) return stages.output.sooner(stepped).then(() => this.#read(stages));
    }
    return stages.output.take();
  }

  async close(): Promise<void> {
    const stages = await this.#opened.catch(() => undefined);
    await stages?.close();
  }
}
