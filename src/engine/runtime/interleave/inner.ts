import { isSeries, type OpenSource, type SourceReader } from '../../contract/source.ts';
import type { Pipeline } from '../../description/pipeline.ts';
import type { Losses } from '../calls/losses.ts';
import type { InlineOutput } from '../stage/inline-output.ts';
import { openReader, type ReaderParts } from '../stage/source-input.ts';

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

export interface InnerParts extends ReaderParts {
  /** Runs a pipeline on this thread; `seed` is its own. */
  inner(pipeline: Pipeline<unknown>, seed: number, losses: Losses): Promise<InnerStages>;
}

/** A pipeline of nothing but a source is read without generating any code. */
export function openInner(pipeline: Pipeline<unknown>, seed: number, parts: InnerParts, from?: unknown): Inner {
  const { source } = pipeline.node;
  if (source !== undefined && !isSeries(source)) return new InnerSource(source, parts, from);
  return new InnerPipeline(parts.inner(pipeline, seed, parts.losses));
}

class InnerSource implements Inner {
  readonly #spec: OpenSource;
  readonly #parts: ReaderParts;
  readonly #from: unknown;
  #reader: SourceReader | undefined;

  constructor(spec: OpenSource, parts: ReaderParts, from: unknown) {
    this.#spec = spec;
    this.#parts = parts;
    this.#from = from;
  }

  position(): unknown {
    return this.#reader === undefined ? this.#from : this.#reader.position?.();
  }

  read(limit: number): unknown[] | Promise<unknown[]> {
    if (this.#reader !== undefined) return readFrom(this.#reader, limit);
    const opened = openReader(this.#spec, this.#parts, 0, this.#from);
    const read = (reader: SourceReader): unknown[] | Promise<unknown[]> => {
      this.#reader = reader;
      return readFrom(reader, limit);
    };
    return opened instanceof Promise ? opened.then(read) : read(opened);
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
