import type { Traits } from '../../model/traits.ts';
import { isSeries } from '../contract/source.ts';
import { operatorKind } from '../operators/registry.ts';
import { dividedSource, isAsync, type Node, policyOf, takesContext } from './node.ts';

/** The name of the `repeat` that a run with several epochs adds. */
export const EPOCHS = 'epochs';

/** What an operator is, by its kind, its settings and its function. Traits that it has not are left out. */
export function traitsOf(id: string, node: Node): Traits {
  const kind = operatorKind(node.kind);
  const isOrigin = node.inputs.length === 0 || kind.origin === true;
  const { sequential, joins } = kind;
  const skips = policyOf(node)?.skip === true && kind.elements === 'same';
  const parameters = parametersOf(node);
  return {
    elements: skips ? 'fewer' : kind.elements,
    sequential,
    keepsOrder: kind.keepsOrder ?? true,
    keepsValues: kind.keepsValues ?? false,
    work: kind.work ?? 'own',
    ...(isOrigin && { origin: true }),
    ...((isOrigin || sequential) && { stateful: true }),
    ...(kind.sink === true && { sink: true }),
    ...(dividedSource(node) !== undefined && { divisible: true }),
    ...(takesContext(node) && { context: true }),
    ...randomOf(node),
    ...((kind.callsFunction === true || node.kind === 'from') && { callsFunction: true }),
    ...(node.borrow && { borrows: true }),
    ...(kind.effectsInOrder === true && { effectsInOrder: true }),
    ...(kind.blocking === true && { blocking: true }),
    ...(kind.endsStage === true && { endsStage: true }),
    ...(kind.removable === true && { removable: true }),
    ...(joins !== undefined && { joins }),
    ...amountsOf(id, node),
    ...(Object.keys(parameters).length > 0 && { parameters }),
    ...(!sequential && { partitioning: 'any' as const }),
  };
}

function randomOf({ kind, random }: Node): Pick<Traits, 'random'> {
  if (operatorKind(kind).draws === true) return { random: true };
  return random === undefined ? {} : { random };
}

/** How many elements, passes and bytes its settings speak of. */
function amountsOf(id: string, { kind, settings, source }: Node): Partial<Traits> {
  const { count, times, folder, limit, size } = settings;
  switch (kind) {
    case 'batch':
    case 'paddedBatch':
    case 'stack':
      return { gathers: Number(size) };
    case 'take':
      return { limit: Number(count) };
    case 'skip':
      return { drops: Number(count) };
    case 'repeat':
      return {
        repeats: times === 'forever' ? times : Number(times),
        ...(id === EPOCHS && { epochs: true }),
      };
    case 'cache':
      return {
        cache: { in: folder === undefined ? 'memory' : 'files', ...(typeof limit === 'number' && { limit }) },
      };
    default:
      return source !== undefined && isSeries(source) ? { total: Number(count) } : {};
  }
}

function parametersOf({ kind, call, concurrency }: Node): NonNullable<Traits['parameters']> {
  const { sequential, endsStage, buffer } = operatorKind(kind);
  return {
    ...(!sequential && endsStage !== true && { parallelism: { setting: 'parallelism', least: 1 } }),
    ...(concurrency !== undefined && isAsync(call) && { concurrency: { setting: 'concurrency', least: 1 } }),
    ...(buffer !== undefined && { buffer: { setting: buffer, least: 1 } }),
  };
}
