import fc from 'fast-check';
import { merge, type Pipeline, range, zip } from '../../../engine/index.ts';

const KINDS = [
  'map',
  'map',
  'filter',
  'batch',
  'window',
  'shuffle',
  'cache',
  'prefetch',
  'source',
  'zip',
  'merge',
] as const;

interface DrawnStep {
  readonly kind: (typeof KINDS)[number];
  /** Which of those before it are read, counted from the last. */
  readonly from: number;
  readonly other: number;
  readonly parallelism: number | undefined;
}

/** A pipeline to be built. */
export interface DrawnPipeline {
  readonly steps: readonly DrawnStep[];
  readonly ends: 'consumed' | 'sinks' | 'both';
  readonly passes: number;
}

/** Any graph: what is read by several branches, what reads from several joins, and what nobody reads comes to an end. */
export const drawnPipelines: fc.Arbitrary<DrawnPipeline> = fc.record({
  steps: fc.array(
    fc.record({
      kind: fc.constantFrom(...KINDS),
      from: fc.constantFrom(0, 0, 0, 1, 2, 3),
      other: fc.nat(5),
      parallelism: fc.constantFrom(undefined, undefined, 1, 3),
    }),
    { minLength: 1, maxLength: 7 },
  ),
  ends: fc.constantFrom('consumed', 'sinks', 'both'),
  passes: fc.constantFrom(1, 10),
});

type Built = Pipeline<unknown>;

export function build({ steps, ends, passes }: DrawnPipeline): Built {
  const nodes: Built[] = [range(1000, { name: 'source' })];
  const read = new Set<Built>();
  for (const [at, step] of steps.entries()) {
    const name = `${step.kind}${at}`;
    const threads = { name, ...(step.parallelism === undefined ? {} : { parallelism: step.parallelism }) };
    const [near, far] = [step.from, step.from + step.other].map(back => nodes[Math.max(0, nodes.length - 1 - back)]);
    if (near === undefined || far === undefined) throw new Error('the source is always there');
    const isJoin = (step.kind === 'zip' || step.kind === 'merge') && near !== far;
    if (step.kind !== 'source') for (const input of isJoin ? [near, far] : [near]) read.add(input);
    nodes.push(
      extended(near, isJoin || step.kind === 'source' ? step.kind : singly(step.kind), { name, threads, far }),
    );
  }
  const loose = nodes
    .filter(node => !read.has(node))
    .map((node, at) =>
      ends === 'sinks' || (ends === 'both' && at > 0)
        ? node.forEach(() => {}, { name: `sink${at}`, harmless: true })
        : node,
    );
  const [only, ...others] = loose;
  if (only === undefined) throw new Error('the last is read by nobody');
  return (others.length === 0 ? only : merge(loose, { name: 'end' })).repeat(passes, { name: 'passes' });
}

/** A join of something with itself is none. */
const singly = (kind: DrawnStep['kind']): DrawnStep['kind'] => (kind === 'zip' || kind === 'merge' ? 'map' : kind);

function extended(
  near: Built,
  kind: DrawnStep['kind'],
  { name, threads, far }: { readonly name: string; readonly threads: { readonly name: string }; readonly far: Built },
): Built {
  switch (kind) {
    case 'map':
      return near.map(element => element, threads);
    case 'filter':
      return near.filter(() => true, threads);
    case 'batch':
      return near.batch(4, { name });
    case 'window':
      return near.window(2, { name });
    case 'shuffle':
      return near.shuffle(4, { name });
    case 'cache':
      return near.cache({ name });
    case 'prefetch':
      return near.prefetch(8, { name });
    case 'source':
      return range(1000, { name });
    case 'zip':
      return zip([near, far], { name }) as Built;
    case 'merge':
      return merge([near, far], { name });
  }
}
