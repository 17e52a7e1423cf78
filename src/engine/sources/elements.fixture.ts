import { ByteWindow } from '../../io/input/byte-window.ts';
import type { GiveUp } from '../../io/input/loss.ts';
import { VenturiError } from '../../model/errors.ts';
import { isSeries, type SourceContext, type SourceReader } from '../contract/source.ts';
import type { Pipeline } from '../description/pipeline.ts';

/** What a pass is given in tests. */
export const contextWith = (
  memory = 16 * 2 ** 20,
  from?: unknown,
  giveUp: GiveUp = () => undefined,
): SourceContext => ({
  signal: new AbortController().signal,
  epoch: 0,
  memory,
  budget: 4 * memory,
  relieve: () => undefined,
  giveUp,
  ...(from !== undefined && { from }),
});

export function openSource(pipeline: Pipeline<unknown>, memory?: number): SourceReader {
  const spec = pipeline.node.source;
  if (spec === undefined || isSeries(spec)) throw new Error('not a source that reads');
  const reader = spec(contextWith(memory));
  if (reader instanceof Promise) throw new Error('opens later');
  return reader;
}

/** All elements of a source, asked for `limit` at a time. */
export function elementsOf<T>(pipeline: Pipeline<T>, limit = 3): T[] {
  const reader = openSource(pipeline);
  try {
    const all: unknown[] = [];
    for (;;) {
      const into: unknown[] = [];
      const read = reader.read(into, limit);
      if (read !== into.length || into.length > limit) throw new Error(`said ${read}, gave ${into.length}`);
      if (read === 0) return all as T[];
      all.push(...into);
    }
  } finally {
    void reader.close();
  }
}

/** What a function fails with, which must be expected: `CODE message / remedy`. */
export function failureOf(call: () => unknown): string {
  try {
    call();
  } catch (error) {
    if (error instanceof VenturiError) return `${error.code} ${error.message} / ${error.remedy}`;
    throw error;
  }
  throw new Error('did not fail');
}

/** A window on bytes that arrive `piece` at a time, with their number known in advance or not. */
export function windowOn(bytes: Uint8Array, piece = bytes.length, known = true, path = 'test.bin'): ByteWindow {
  let position = 0;
  return new ByteWindow({
    path,
    get remaining() {
      return known ? bytes.length - position : undefined;
    },
    readInto(target, at, length) {
      const part = bytes.subarray(position, position + Math.min(length, piece));
      target.set(part, at);
      position += part.length;
      return part.length;
    },
  });
}
