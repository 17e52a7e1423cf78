import { Readable } from 'node:stream';
import { ReadableStream } from 'node:stream/web';
import { badOption, describe } from '../../model/option.ts';
import type { Elements, OpenSource, Source, SourceReader } from '../contract/source.ts';
import { defineSource } from '../description/extension.ts';
import type { OperatorOptions } from '../description/operator-options.ts';
import { type Pipeline, sourcePipeline } from '../description/pipeline.ts';
import { AsyncReader, readSync } from './element-reader.ts';

/**
 * Elements of any iterable, or of a source from elsewhere. A function is called anew for every pass, so a generator can be
 * repeated; it runs inside a worker, which imports the pipeline's module for itself.
 */
export function from<T>(
  elements: Elements<T> | (() => Elements<T>) | Source<T>,
  options: OperatorOptions = {},
): Pipeline<T> {
  if (isSource<T>(elements)) {
    const source = defineSource(elements);
    return sourcePipeline(source.kind, source.settings ?? {}, openSource(source), options);
  }
  const length = Array.isArray(elements) ? elements.length : undefined;
  const open = (): SourceReader => readElements(typeof elements === 'function' ? elements() : elements, length);
  return sourcePipeline('from', { length }, Object.assign(open, { once: isUsedUp(elements) }), options);
}

const isSource = <T>(value: unknown): value is Source<T> =>
  typeof value === 'object' &&
  value !== null &&
  'kind' in value &&
  'open' in value &&
  !isIterable(value) &&
  !isAsyncIterable(value);

function openSource<T>(source: Source<T>): OpenSource {
  const read = (given: Elements<T> | SourceReader<T>): SourceReader =>
    isReader<T>(given) ? given : readElements(given, source.length);
  const open: OpenSource = context => {
    const opened = source.open(context);
    return opened instanceof Promise ? opened.then(read) : read(opened);
  };
  // One without a parameter cannot know which pass it is for.
  return Object.assign(open, { told: source.open.length > 0 });
}

const isReader = <T>(value: unknown): value is SourceReader<T> =>
  typeof value === 'object' && value !== null && 'read' in value && !isIterable(value) && !isAsyncIterable(value);

function readElements<T>(given: Elements<T>, length: number | undefined): SourceReader {
  if (isIterable<T>(given)) return readSync(given[Symbol.iterator](), length);
  if (isAsyncIterable<T>(given)) return new AsyncReader(given[Symbol.asyncIterator](), length);
  throw badOption(
    `from() got ${describe(given)}, which is not iterable`,
    'give an array, an iterable, an async iterable, or a function that returns one',
  );
}

/** An iterator or a stream goes through what it gives once; an array or a Set as often as it is asked. */
const isUsedUp = (value: unknown): boolean =>
  value instanceof Readable ||
  value instanceof ReadableStream ||
  (typeof value === 'object' && value !== null && 'next' in value && typeof value.next === 'function');

const isIterable = <T>(value: unknown): value is Iterable<T> =>
  typeof value === 'string' || (typeof value === 'object' && value !== null && Symbol.iterator in value);

const isAsyncIterable = <T>(value: unknown): value is AsyncIterable<T> =>
  typeof value === 'object' && value !== null && Symbol.asyncIterator in value;
