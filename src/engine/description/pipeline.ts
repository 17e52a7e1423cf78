import type { ColumnOf } from '../../io/formats/row-elements.ts';
import { type Decoded, type Decoder, decodeWith, type Encoded, images } from '../../io/media/decoder.ts';
import type { Image } from '../../io/media/image.ts';
import { badOption, describe, wholeNumber } from '../../model/option.ts';
import { CallPlace } from '../compile/call-place.ts';
import { bareNode, isAsync, type Node } from '../compile/node.ts';
import { type Context, type MaybePromise, type PerWorker, perWorker } from '../contract/context.ts';
import { isSeries, type SourceSpec } from '../contract/source.ts';
import type { Stacked } from '../contract/tensor.ts';
import { type Operator, setUpOperator } from '../operators/defined.ts';
import type { Group } from '../operators/group-by.ts';
import { type PaddedBatch, padRows, type Row } from '../operators/padded-batch.ts';
import { registerKind } from '../operators/registry.ts';
import { csvTo, type WriteCsvOptions } from '../operators/write-csv.ts';
import { jsonlTo, linesTo } from '../operators/write-file.ts';
import { parquetTo, type WriteParquetOptions } from '../operators/write-parquet.ts';
import { checkedFunction, checkedName, checkLanes, errorPolicy } from './checks.ts';
import { defineOperator } from './extension.ts';
import { checkedKey, collected, counted, type GroupKey, reduced, summed } from './grouping.ts';
import { type JoinKey, joinStep } from './hash-join.ts';
import { checkOptions } from './known-options.ts';
import type {
  ApplyOptions,
  BatchOptions,
  CacheOptions,
  ForEachOptions,
  FunctionOptions,
  JoinOptions,
  KeepOptions,
  MapOptions,
  Mapper,
  OperatorOptions,
  Step,
} from './operator-options.ts';

const DEFAULT_CONCURRENCY = 16;
const DEFAULT_CYCLE = 8;
const APPLIED = ['name', 'parallelism'] as const;

/** A description of a dataflow that ends in elements of type T. Nothing runs until it is asked to. */
export class Pipeline<T> {
  readonly node: Node;

  constructor(node: Node) {
    this.node = node;
  }

  /** Turns every element into another. An async function runs several calls at once; the order stays. */
  map<U>(call: Mapper<T, U> | PerWorker<Mapper<T, U>>, options: MapOptions = {}): Pipeline<Awaited<U>> {
    const concurrency = wholeNumber('map', 'concurrency', options.concurrency ?? DEFAULT_CONCURRENCY, 1);
    return this.#then('map', { call, options, concurrency });
  }

  /** Keeps the elements for which `keep` holds. */
  filter<S extends T>(keep: (element: T, context: Context) => element is S, options?: FunctionOptions): Pipeline<S>;
  filter(keep: Mapper<T, boolean> | PerWorker<Mapper<T, boolean>>, options?: FunctionOptions): Pipeline<T>;
  filter(keep: Mapper<T, boolean> | PerWorker<Mapper<T, boolean>>, options: FunctionOptions = {}): Pipeline<T> {
    return this.#then('filter', { call: keep, options });
  }

  /** Turns every element into any number of others. A generator is consumed lazily. */
  flatMap<U>(
    call: Mapper<T, Iterable<U>> | PerWorker<Mapper<T, Iterable<U>>>,
    options: FunctionOptions = {},
  ): Pipeline<U> {
    return this.#then('flatMap', { call, options });
  }

  /**
   * Opens a pipeline for every element, `cycle` of them at once, and takes `block` elements from each in turn: `glob('*.csv').interleave(({ path }) =>
   * csv(path))`. Their operators run in the thread of this one.
   */
  interleave<U>(
    open: (element: T) => Pipeline<U>,
    options: OperatorOptions & { readonly cycle?: number; readonly block?: number } = {},
  ): Pipeline<U> {
    const settings = {
      cycle: wholeNumber('interleave', 'cycle', options.cycle ?? DEFAULT_CYCLE, 1),
      block: wholeNumber('interleave', 'block', options.block ?? 1, 1),
    };
    return this.#then('interleave', { options, settings, call: open });
  }

  /** Gathers `size` elements into an array; the last may be shorter unless `dropRemainder`. */
  batch(size: number, options: BatchOptions = {}): Pipeline<T[]> {
    checkLanes('batch', options);
    const settings = { size: wholeNumber('batch', 'size', size, 1), dropRemainder: options.dropRemainder ?? false };
    return this.#then('batch', { options, settings });
  }

  /**
   * Gathers `size` elements into one array for each place where they have numbers, as a model is fed: typed arrays, images, `{ data, shape }`
   * and numbers become `{ data, shape }` with one dimension more, objects of these an object of such tensors. The last may have fewer rows unless `dropRemainder`.
   */
  stack(size: number, options: BatchOptions = {}): Pipeline<Stacked<T>> {
    checkLanes('stack', options);
    const settings = { size: wholeNumber('stack', 'size', size, 1), dropRemainder: options.dropRemainder ?? false };
    return this.#then('stack', { options, settings, borrow: true });
  }

  /** The items of arrays, one by one. */
  unbatch(options: OperatorOptions = {}): Pipeline<T extends Iterable<infer U> ? U : never> {
    return this.#then('unbatch', { options });
  }

  /**
   * Gathers `size` rows of numbers and pads them with `pad` to the longest of them, or to `columns`. The last batch may have
   * fewer rows unless `dropRemainder`.
   */
  paddedBatch(
    this: Pipeline<Row>,
    size: number,
    options: BatchOptions & { readonly pad?: number; readonly columns?: number } = {},
  ): Pipeline<PaddedBatch> {
    checkLanes('paddedBatch', options);
    const { pad = 0, columns, dropRemainder = false } = options;
    if (columns !== undefined) wholeNumber('paddedBatch', 'columns', columns, 1);
    const settings = { size: wholeNumber('paddedBatch', 'size', size, 1), pad, columns, dropRemainder };
    return this.#then('paddedBatch', { options, settings, call: padRows(pad, columns) as Mapper<unknown, unknown> });
  }

  /**
   * Batches of `size` elements of about the same length. `length` measures an element; `boundaries` are where one group ends
   * and the next begins, ascending.
   */
  groupByLength(
    size: number,
    boundaries: readonly number[],
    length: (element: T) => number,
    options: OperatorOptions = {},
  ): Pipeline<T[]> {
    if (boundaries.some((limit, at) => !(limit > (boundaries[at - 1] ?? Number.NEGATIVE_INFINITY)))) {
      throw badOption(
        `groupByLength: the boundaries ${boundaries.join(', ')} do not ascend`,
        'give numbers, each larger than the one before',
      );
    }
    const settings = { size: wholeNumber('groupByLength', 'size', size, 1), boundaries };
    return this.#then('groupByLength', { options, settings, call: length });
  }

  /**
   * Elements with the same key together: `.groupBy(order => order.city).sum(order => order.price)` gives `{ key, value }` for every
   * city, in the order in which cities first appear, at the end of the pass.
   */
  groupBy<K>(key: (element: T) => K): Groups<T, K> {
    return new Groups(key, step => this.#then('groupBy', step as Step<T>));
  }

  /**
   * Elements of this pipeline, the left side, with those of `other` that have the same key: pairs `[left, right]`, in the order of the
   * left side, each with its matches in the order of the right. `on` is the name of a property that both have, or a function for
   * each side. All of the right side is kept in memory.
   */
  join<U>(other: Pipeline<U>, on: JoinKey<T, U>, options: JoinOptions & { readonly how: 'semi' | 'anti' }): Pipeline<T>;
  join<U>(
    other: Pipeline<U>,
    on: JoinKey<T, U>,
    options: JoinOptions & { readonly how: 'left' },
  ): Pipeline<[T, U | undefined]>;
  join<U>(other: Pipeline<U>, on: JoinKey<T, U>, options?: JoinOptions & { readonly how?: 'inner' }): Pipeline<[T, U]>;
  join<U>(other: Pipeline<U>, on: JoinKey<T, U>, options: JoinOptions = {}): Pipeline<unknown> {
    if (!(other instanceof Pipeline)) {
      throw badOption(
        'join: there is no pipeline to join with',
        'give what range(), lines(), files() … and their operators return',
      );
    }
    return this.#then('join', { ...joinStep(on, options), options, others: [other.node] });
  }

  /** Windows of `size` elements, each `stride` elements after the one before; the last elements may belong to none. */
  window(size: number, options: OperatorOptions & { readonly stride?: number } = {}): Pipeline<T[]> {
    const settings = {
      size: wholeNumber('window', 'size', size, 1),
      stride: wholeNumber('window', 'stride', options.stride ?? 1, 1),
    };
    return this.#then('window', { options, settings });
  }

  /** Every `count`-th element, from the `index`-th on: the share of one process among `count`. */
  shard(count: number, index: number, options: OperatorOptions = {}): Pipeline<T> {
    const settings = {
      count: wholeNumber('shard', 'count', count, 1),
      index: wholeNumber('shard', 'index', index, 0),
    };
    if (settings.index >= settings.count) {
      throw badOption(`shard: there is no share ${index} of ${count}`, `give an index from 0 to ${count - 1}`);
    }
    return this.#then('shard', { options, settings });
  }

  /** Hands elements out in random order from a buffer of `buffer` of them. The same seed gives the same order. */
  shuffle(buffer: number, options: OperatorOptions & { readonly seed?: number } = {}): Pipeline<T> {
    const settings = { buffer: wholeNumber('shuffle', 'buffer', buffer, 1), seed: options.seed };
    return this.#then('shuffle', { options, settings });
  }

  /** Runs everything upstream `times` times; without an argument, forever. */
  repeat(times: number = Number.POSITIVE_INFINITY, options: OperatorOptions = {}): Pipeline<T> {
    const settings = {
      times: times === Number.POSITIVE_INFINITY ? 'forever' : wholeNumber('repeat', 'times', times, 1),
    };
    return this.#then('repeat', { options, settings });
  }

  take(count: number, options: OperatorOptions = {}): Pipeline<T> {
    return this.#then('take', { options, settings: { count: wholeNumber('take', 'count', count, 0) } });
  }

  skip(count: number, options: OperatorOptions = {}): Pipeline<T> {
    return this.#then('skip', { options, settings: { count: wholeNumber('skip', 'count', count, 0) } });
  }

  /**
   * Keeps what comes from upstream, which is gone through once, however often what follows is repeated. With a `folder`,
   * later runs of the same upstream code on the same files need not go through it at all.
   */
  cache(options: CacheOptions = {}): Pipeline<T> {
    const { folder, limit, version } = options;
    if (folder !== undefined && (typeof folder !== 'string' || folder === '')) {
      throw badOption(
        `cache: folder is ${describe(folder)}`,
        'give the path of a folder, or leave it out to keep the elements in memory',
      );
    }
    if (limit !== undefined) wholeNumber('cache', 'limit', limit, 1);
    return this.#then('cache', { options, settings: { folder, limit, version } });
  }

  /** Lets what lies upstream run ahead by up to `elements`, in threads of its own. */
  prefetch(elements: number, options: OperatorOptions = {}): Pipeline<T> {
    return this.#then('prefetch', {
      options,
      settings: { elements: wholeNumber('prefetch', 'elements', elements, 1) },
    });
  }

  /**
   * Sends what has come so far on at no more than `bytesPerSecond`, as a network between two machines would. For
   * experiments: waiting for it is told apart from waiting for a channel that is full.
   */
  transport(bytesPerSecond: number, options: OperatorOptions = {}): Pipeline<T> {
    return this.#then('transport', {
      options,
      settings: { bytesPerSecond: wholeNumber('transport', 'bytesPerSecond', bytesPerSecond, 1) },
    });
  }

  /** Consumes every element inside the workers. Nothing is left for the caller but the counts. */
  forEach(
    call: Mapper<T, MaybePromise<void>> | PerWorker<Mapper<T, MaybePromise<void>>>,
    options: ForEachOptions = {},
  ): Pipeline<never> {
    const concurrency = wholeNumber('forEach', 'concurrency', options.concurrency ?? DEFAULT_CONCURRENCY, 1);
    return this.#then('forEach', { call, options, concurrency, harmless: options.harmless });
  }

  /** Passes elements through an operator from elsewhere: see `defineOperator`. */
  apply<U>(operator: Operator<T, U>, options: ApplyOptions = {}): Pipeline<U> {
    const { kind, settings, divisible = false, harmless } = defineOperator(operator);
    if (options.parallelism !== undefined && !divisible) {
      throw badOption(
        `${kind}: it sees all elements in order, in one thread`,
        'leave out its parallelism, or define it with divisible: true',
      );
    }
    const call = perWorker<Mapper<T, unknown>>(async worker => {
      await operator.prepare?.();
      return setUpOperator(operator, worker);
    });
    const step = { call, options, harmless, otherOptions: APPLIED, ...(settings !== undefined && { settings }) };
    return this.#then(kind, step);
  }

  /** Decodes bytes by their first ones, or by the ending of their name: JPEG and PNG, or what the decoders given know. */
  decode(this: Pipeline<Encoded>): Pipeline<Image>;
  decode<D extends Decoder<unknown>>(
    this: Pipeline<Encoded>,
    decoders: D | readonly D[],
    options?: MapOptions,
  ): Pipeline<Decoded<D>>;
  decode(
    this: Pipeline<Encoded>,
    decoders: Decoder<unknown> | readonly Decoder<unknown>[] = images,
    options: MapOptions = {},
  ): Pipeline<unknown> {
    const list = 'decode' in decoders ? [decoders] : decoders;
    if (list.some(({ decode }) => isAsync(decode))) {
      const decode = async (element: Encoded): Promise<unknown> => decodeWith(list, element);
      return this.map(decode, options);
    }
    const decode = (element: Encoded): unknown => decodeWith(list, element);
    return this.map(decode, options);
  }

  /**
   * Writes elements to a file, a line each. The file takes its name when the last one is in it; a run that fails or is
   * stopped leaves nothing. Nothing is left for the caller but the counts.
   */
  writeLines(this: Pipeline<string>, path: string, options: OperatorOptions = {}): Pipeline<never> {
    return this.apply(linesTo(path), options);
  }

  /** The same as JSON Lines. */
  writeJsonl(path: string, options: OperatorOptions = {}): Pipeline<never> {
    return this.apply(jsonlTo(path), options);
  }

  /**
   * The same as CSV (RFC 4180): elements are objects, or arrays of fields. `csv()` reads it back as text.
   */
  writeCsv<E>(this: Pipeline<E>, path: string, options: WriteCsvOptions<ColumnOf<E>> = {}): Pipeline<never> {
    return this.apply(csvTo(path, options), options);
  }

  /** The same as Parquet: elements are objects. Without `columns` these and their types are those of the first row group. */
  writeParquet<E>(this: Pipeline<E>, path: string, options: WriteParquetOptions<ColumnOf<E>> = {}): Pipeline<never> {
    return this.apply(parquetTo(path, options), options);
  }

  #then<U>(kind: string, step: Step<T>): Pipeline<U> {
    const options: MapOptions = step.options;
    checkOptions(kind, options, step.otherOptions);
    return new Pipeline<U>({
      ...bareNode(kind, [this.node, ...(step.others ?? [])], {}),
      name: checkedName(options.name),
      parallelism:
        options.parallelism === undefined ? undefined : wholeNumber(kind, 'parallelism', options.parallelism, 1),
      concurrency: step.concurrency,
      settings: {
        ...step.settings,
        ...(options.onError !== undefined && { onError: errorPolicy(kind, options.onError) }),
      },
      call: checkedFunction(kind, step),
      madeOf: step.madeOf,
      borrow: step.borrow ?? options.borrow ?? false,
      random: options.random,
      harmless: step.harmless,
      at: new CallPlace(),
    });
  }
}

/** The elements of a pipeline by a key, and what can be made of each group. */
export class Groups<T, K> {
  // Types that only methods speak of let a pipeline of some elements stand for one of more general ones.
  readonly #key: GroupKey;
  readonly #then: <V>(step: Step<never>) => Pipeline<Group<K, V>>;

  constructor(key: (element: T) => K, then: <V>(step: Step<never>) => Pipeline<Group<K, V>>) {
    this.#key = checkedKey(key);
    this.#then = then;
  }

  /** What `step` makes of a group's elements in turn, beginning with `initial`, or with what that returns where it is a function. */
  reduce<V>(
    step: (value: V, element: T) => V,
    initial: V | (() => V),
    options: KeepOptions = {},
  ): Pipeline<Group<K, V>> {
    return this.#then(reduced(this.#key, step, initial, options));
  }

  /** How many elements it has. */
  count(options: KeepOptions = {}): Pipeline<Group<K, number>> {
    return this.#then(counted(this.#key, options));
  }

  /** The sum of a number of each element. */
  sum(of: (element: T) => number, options: KeepOptions = {}): Pipeline<Group<K, number>> {
    return this.#then(summed(this.#key, of, options));
  }

  /** Its elements, in their order. */
  collect(options: KeepOptions = {}): Pipeline<Group<K, T[]>> {
    return this.#then(collected(this.#key, options));
  }
}

export function sourcePipeline<T>(
  kind: string,
  settings: Readonly<Record<string, unknown>>,
  source: SourceSpec,
  options: OperatorOptions = {},
): Pipeline<T> {
  checkOptions(kind, options);
  if (!isSeries(source)) registerKind(kind, 'source');
  return new Pipeline<T>({
    ...bareNode(kind, [], settings),
    name: checkedName(options.name),
    source,
    at: new CallPlace(),
  });
}
