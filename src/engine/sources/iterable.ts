import { VenturiError } from '../../model/errors.ts';
import { describe, type OperatorOptions, type Pipeline, sourcePipeline } from '../api/pipeline.ts';
import type { SourceReader } from './source.ts';

type Elements<T> = Iterable<T> | AsyncIterable<T>;

/** Elements that arrive slowly are handed on after this long, however few. */
const PATIENCE_MS = 10;

/**
 * Elements of any iterable. A function is called anew for every pass, so a generator can be repeated; it runs inside a
 * worker, which imports the pipeline's module for itself.
 */
export function from<T>(elements: Elements<T> | (() => Elements<T>), options: OperatorOptions = {}): Pipeline<T> {
  const length = Array.isArray(elements) ? elements.length : undefined;
  const open = (): SourceReader => {
    const given = typeof elements === 'function' ? elements() : elements;
    if (isIterable<T>(given)) return readSync(given[Symbol.iterator](), length);
    if (isAsyncIterable<T>(given)) return readAsync(given[Symbol.asyncIterator]());
    throw new VenturiError('VENTURI_BAD_OPTION', `from() got ${describe(given)}, which is not iterable`, {
      remedy: 'give an array, an iterable, an async iterable, or a function that returns one',
    });
  };
  return sourcePipeline('from', { length }, open, options);
}

const isIterable = <T>(value: unknown): value is Iterable<T> =>
  typeof value === 'string' || (typeof value === 'object' && value !== null && Symbol.iterator in value);

const isAsyncIterable = <T>(value: unknown): value is AsyncIterable<T> =>
  typeof value === 'object' && value !== null && Symbol.asyncIterator in value;

function readSync<T>(iterator: Iterator<T>, length: number | undefined): SourceReader {
  let count = 0;
  return {
    read(into, limit) {
      for (let read = 0; read < limit; read++) {
        const { done, value } = iterator.next();
        if (done === true) return read;
        into.push(value);
        count++;
      }
      return limit;
    },
    done: () => (length === undefined ? undefined : count / Math.max(1, length)),
    close: () => void iterator.return?.(),
  };
}

function readAsync<T>(iterator: AsyncIterator<T>): SourceReader {
  return {
    async read(into, limit) {
      const deadline = performance.now() + PATIENCE_MS;
      let read = 0;
      while (read < limit && (read === 0 || performance.now() < deadline)) {
        const { done, value } = await iterator.next();
        if (done === true) break;
        into.push(value);
        read++;
      }
      return read;
    },
    done: () => undefined,
    async close() {
      await iterator.return?.();
    },
  };
}
