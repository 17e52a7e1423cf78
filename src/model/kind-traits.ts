import { z } from 'zod';
import type { Operator } from './graph.ts';
import { kindNamed } from './kind.ts';
import type { StepTraits } from './step-traits.ts';
import type { Traits } from './traits.ts';

/** An operator as recordings of version 0.1 have it: of its traits it says few, and some only of some kinds. */
type BareOperator = Omit<Operator, 'kind' | 'elements' | 'keepsOrder' | 'keepsValues' | 'work'> & {
  readonly kind: string;
};

/** What the schema of an operator asks for beyond this, it asks for itself. */
const BareSchema = z.looseObject({
  kind: z.string(),
  inputs: z.array(z.string()),
  settings: z.record(z.string(), z.unknown()).default({}),
  sequential: z.boolean(),
  elements: z.undefined().optional(),
});

const GraphSchema = z.looseObject({ operators: z.array(z.unknown()) });

/** A recorded graph, as it was parsed from JSON, with traits where it has none. What is damaged in it stays as it is. */
export function graphWithTraits(graph: unknown): unknown {
  const parsed = GraphSchema.safeParse(graph);
  if (!parsed.success) return graph;
  const operators = parsed.data.operators.map(each => {
    const bare = BareSchema.safeParse(each);
    return bare.success ? withTraits(bare.data as unknown as BareOperator) : each;
  });
  return { ...parsed.data, operators };
}

/**
 * The operator with the traits of its kind. The one place where these follow from a name: runs of version 0.1 are recordings of
 * Venturi's own engine and of DataLoaders, whose names are known.
 */
export function withTraits(bare: BareOperator): Operator {
  const { id, kind, inputs, settings, sequential, concurrency } = bare;
  const isOrigin = inputs.length === 0 || ORIGINS.has(kind);
  const { parameters: own, ...known }: Partial<Traits> = Object.hasOwn(KINDS, kind)
    ? (KINDS[kind]?.(settings) ?? {})
    : {};
  const parameters = {
    ...(!sequential && known.endsStage !== true && { parallelism: { setting: 'parallelism', least: 1 } }),
    ...(concurrency !== undefined && { concurrency: { setting: 'concurrency', least: 1 } }),
    ...own,
  };
  return {
    elements: inputs.length === 0 ? 'same' : 'any',
    keepsOrder: true,
    keepsValues: inputs.length === 0,
    work: 'own',
    ...(isOrigin && { origin: true }),
    ...((isOrigin || sequential) && { stateful: true }),
    ...(!sequential && { partitioning: 'any' as const }),
    ...known,
    ...(kind === 'repeat' && id === 'epochs' && { epochs: true }),
    ...(Object.keys(parameters).length > 0 && { parameters }),
    ...bare,
    kind: kindNamed(kind),
  };
}

const ORIGINS = new Set(['zip', 'concat', 'merge', 'interleave', 'cache']);

type Settings = Readonly<Record<string, unknown>>;

const numberOf = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined);

/** A function that may give up elements on which it throws. */
const calling =
  (elements: Traits['elements']) =>
  (settings: Settings): Partial<Traits> => ({
    elements: elements === 'same' && skips(settings.onError) ? 'fewer' : elements,
    callsFunction: true,
  });

const skips = (policy: unknown): boolean =>
  typeof policy === 'object' && policy !== null && 'skip' in policy && policy.skip === true;

const buffered = (setting: string): Pick<Traits, 'parameters'> => ({ parameters: { buffer: { setting, least: 1 } } });

const gathering = (size: unknown): Pick<Traits, 'gathers'> => (typeof size === 'number' ? { gathers: size } : {});

const KINDS: Readonly<Record<string, (settings: Settings) => Partial<Traits>>> = {
  batch: ({ size }) => ({ elements: 'fewer', work: 'moving', ...gathering(size) }),
  cache: ({ folder, limit }) => ({
    elements: 'same',
    keepsValues: true,
    cache: { in: folder === undefined ? 'memory' : 'files', ...(typeof limit === 'number' && { limit }) },
  }),
  concat: () => ({ elements: 'same', keepsValues: true, joins: 'all' }),
  filter: () => ({ elements: 'fewer', keepsValues: true, callsFunction: true }),
  flatMap: calling('any'),
  forEach: () => ({ elements: 'fewer', sink: true, callsFunction: true, effectsInOrder: true }),
  from: () => ({ callsFunction: true }),
  groupByLength: () => ({ elements: 'fewer', keepsOrder: false, callsFunction: true }),
  interleave: () => ({ elements: 'any', callsFunction: true, context: true }),
  map: calling('same'),
  merge: () => ({ elements: 'same', keepsValues: true, joins: 'all' }),
  paddedBatch: ({ size }) => ({ elements: 'fewer', ...gathering(size) }),
  prefetch: () => ({
    elements: 'same',
    keepsValues: true,
    work: 'none',
    endsStage: true,
    removable: true,
    ...buffered('elements'),
  }),
  range: ({ count }) => ({ ...(typeof count === 'number' && { total: count }) }),
  repeat: ({ times }) => ({
    elements: 'more',
    keepsValues: true,
    work: 'none',
    repeats: times === 'forever' ? times : (numberOf(times) ?? 1),
  }),
  shard: () => ({ elements: 'fewer', keepsValues: true }),
  shuffle: () => ({
    elements: 'same',
    keepsOrder: false,
    keepsValues: true,
    work: 'moving',
    random: true,
    blocking: true,
    ...buffered('buffer'),
  }),
  skip: ({ count }) => ({ elements: 'fewer', keepsValues: true, work: 'moving', drops: numberOf(count) ?? 0 }),
  take: ({ count }) => ({ elements: 'fewer', keepsValues: true, work: 'moving', limit: numberOf(count) ?? 0 }),
  transport: () => ({ elements: 'same', keepsValues: true, work: 'none', endsStage: true }),
  unbatch: () => ({ elements: 'any' }),
  window: () => ({ elements: 'any' }),
  writeJsonl: () => ({ sink: true }),
  writeLines: () => ({ sink: true }),
  zip: () => ({ elements: 'fewer', joins: 'shortest' }),
  collate: () => ({ elements: 'fewer' }),
};

/** Transforms of torchvision that draw nothing at random. Any other may: then what comes after it cannot be kept. */
const STEADY = new Set(
  (
    'Resize CenterCrop FiveCrop TenCrop Pad Grayscale ToTensor PILToTensor ToImage ToPILImage ToDtype ToPureTensor ' +
    'ConvertImageDtype Normalize'
  ).split(' '),
);

/** A span of the author's own stands among the transforms, as they were met: it may hold anything. */
const ORDER = ['dataset', 'open', 'decode', 'transform', 'collate'];

/** The traits of a step in a DataLoader that its recording does not tell. */
export function stepTraitsOf(step: string, kind: string): StepTraits {
  const decodes = kind === 'open' || kind === 'decode';
  return {
    per: kind === 'collate' ? 'batch' : 'element',
    fetches: kind === 'dataset',
    decodes,
    steady: decodes || (kind === 'transform' && STEADY.has(step.replace(/#\d+$/, ''))),
    ...(kind === 'decode' && step === 'decode' && { gives: 'PIL.Image' }),
    place: ORDER.indexOf(ORDER.includes(kind) ? kind : 'transform'),
  };
}
