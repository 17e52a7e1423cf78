import type { Graph, Operator, Stage } from '../../model/graph.ts';
import { kindNamed } from '../../model/kind.ts';
import type { BatchSummary, LoaderSummary } from './summary.ts';

/**
 * The loaders of a program as a graph: each a chain from its dataset over what happens to an element and a batch to the
 * loader itself, whose output the consumer takes. The workers run the chain as one stage.
 */
export function loaderGraph({ loaders }: BatchSummary): Graph {
  const parts = loaders.map(chainOf);
  return {
    operators: parts.flatMap(part => part.operators),
    stages: parts.flatMap(part => part.stages),
    channels: parts.flatMap(part => part.channels),
    fingerprint: '',
  };
}

function chainOf(loader: LoaderSummary): Omit<Graph, 'fingerprint'> {
  const { name, settings, location, workers } = loader;
  const rows = loader.operators;
  const operators = rows.map((row, at): Operator => {
    const before = rows[at - 1];
    return {
      id: idOf(name, row.operator),
      kind: row.kind,
      label: row.operator,
      inputs: before === undefined ? [] : [idOf(name, before.operator)],
      settings: {},
      elements: row.traits.per === 'batch' ? 'fewer' : 'same',
      sequential: false,
      keepsOrder: true,
      keepsValues: false,
      work: 'own',
      callsFunction: true,
      partitioning: 'any',
      ...(at === 0 && { origin: true, stateful: true }),
      ...(row.traits.steady && { random: false }),
      ...(workers > 0 && { lanes: 'processes' }),
      parameters: { parallelism: { setting: 'num_workers', least: 0 } },
      ...(at === 0 ? { parallelism: workers } : {}),
      ...(row.location === undefined ? {} : { location: row.location }),
    };
  });
  const last = operators.at(-1);
  const sink: Operator = {
    id: name,
    kind: kindNamed('DataLoader'),
    label: name,
    inputs: last === undefined ? [] : [last.id],
    settings: { ...settings },
    elements: 'same',
    sequential: true,
    keepsOrder: settings?.in_order !== false,
    keepsValues: true,
    work: 'own',
    stateful: true,
    parameters: { buffer: { setting: 'prefetch_factor', least: 1 } },
    ...(location === undefined ? {} : { location }),
  };
  const preparing: Stage = { id: `${name}/workers`, operators: operators.map(({ id }) => id), parallelism: workers };
  const slots = Math.max(1, workers * (settings?.prefetch_factor ?? 2));
  return {
    operators: [...operators, sink],
    stages: [...(last === undefined ? [] : [preparing]), { id: name, operators: [name], parallelism: 0 }],
    channels:
      last === undefined || workers === 0
        ? []
        : [{ id: `${name}/batches`, from: last.id, to: name, slots, capacity: 0 }],
  };
}

const idOf = (loader: string, operator: string): string => `${loader}/${operator}`;
