import { createHash, type Hash } from 'node:crypto';
import { VenturiError } from '../../model/errors.ts';
import type { Operator } from '../../model/graph.ts';
import { kindNamed } from '../../model/kind.ts';
import { badOption, wholeNumber } from '../../model/option.ts';
import type { OperatorSettings } from '../contract/operator-settings.ts';
import type { CallPlace } from './call-place.ts';
import { isAsync, isPerWorker, type Node, nodesOf } from './node.ts';
import { traitsOf } from './traits.ts';

/** A node under its final id, with the settings of this run applied. */
export interface PlacedNode {
  readonly id: string;
  readonly node: Node;
  readonly operator: Operator;
}

/** Gives every operator its id. */
export function placeNodes(last: Node): readonly PlacedNode[] {
  const ids = new Map<Node, string>();
  const taken = new Map<string, CallPlace | undefined>();
  return nodesOf(last).map(node => {
    const inputs = node.inputs.map(input => ids.get(input) ?? '');
    const id = node.name ?? unnamed(node, inputs, taken);
    if (taken.has(id)) {
      throw new VenturiError(
        'VENTURI_DUPLICATE_NAME',
        `two operators are called '${id}'${atBoth(taken.get(id)?.location, node.at?.location)}`,
        {
          remedy: 'give one of them another name: plans, --set and comparisons address operators by name',
        },
      );
    }
    ids.set(node, id);
    taken.set(id, node.at);
    return placeNode(id, node, inputs);
  });
}

export const placeNode = (id: string, node: Node, inputs: readonly string[]): PlacedNode => ({
  id,
  node,
  operator: describeNode(id, node, [...inputs]),
});

/** The path from its source. Where two parts of a graph are built alike, the later one is told apart by a number. */
function unnamed(node: Node, inputs: readonly string[], taken: ReadonlyMap<string, unknown>): string {
  const path = inputs.length === 0 ? node.kind : `${inputs.join('+')}/${node.kind}`;
  if (!taken.has(path)) return path;
  let number = 2;
  while (taken.has(`${path}:${number}`)) number++;
  return `${path}:${number}`;
}

const atBoth = (first: string | undefined, second: string | undefined): string =>
  first === undefined || second === undefined ? '' : ` (${first} and ${second})`;

/** A node as it stands in the graph, reading from the operators `inputs`. */
export function describeNode(id: string, node: Node, inputs: string[]): Operator {
  const functionName = typeof node.call === 'function' ? node.call.name : '';
  const location = node.at?.location;
  const settings = Object.fromEntries(Object.entries(node.settings).filter(([, value]) => value !== undefined));
  return {
    id,
    kind: kindNamed(node.kind),
    label: node.name ?? (functionName === '' ? node.kind : functionName),
    inputs,
    settings,
    ...traitsOf(id, node),
    ...(node.concurrency !== undefined && isAsync(node.call) ? { concurrency: node.concurrency } : {}),
    ...(node.parallelism === undefined ? {} : { parallelism: node.parallelism }),
    ...(location === undefined ? {} : { location }),
  };
}

/** Applies settings by id, name, label, or the end of a path where only one operator has it. */
export function applySettings(
  nodes: readonly PlacedNode[],
  set: Readonly<Record<string, OperatorSettings>>,
): readonly PlacedNode[] {
  const changes = new Map<string, OperatorSettings>();
  for (const [reference, settings] of Object.entries(set)) {
    const { id } = findOperator(nodes, reference);
    changes.set(id, { ...changes.get(id), ...settings });
  }
  return nodes.map(placed => {
    const change = changes.get(placed.id);
    if (change === undefined) return placed;
    for (const [option, value] of Object.entries(change)) wholeNumber(`set '${placed.id}'`, option, value, 1);
    const parallelism = change.parallelism ?? placed.node.parallelism;
    if (change.parallelism !== undefined && change.parallelism > 1 && placed.operator.sequential) {
      throw badOption(
        `'${placed.id}' sees all elements in order, so it cannot run in ${change.parallelism} threads`,
        'set the parallelism of a map, filter or flatMap instead',
      );
    }
    if (change.concurrency !== undefined && placed.node.concurrency === undefined) {
      throw badOption(
        `'${placed.id}' makes no async calls, so it has no concurrency`,
        'set the concurrency of a map or forEach with an async function',
      );
    }
    const node: Node = { ...placed.node, parallelism, concurrency: change.concurrency ?? placed.node.concurrency };
    return placeNode(placed.id, node, placed.operator.inputs);
  });
}

export function findOperator(nodes: readonly PlacedNode[], reference: string): PlacedNode {
  const exact = nodes.find(({ id }) => id === reference);
  if (exact !== undefined) return exact;
  const alike = nodes.filter(({ id, operator }) => operator.label === reference || id.endsWith(`/${reference}`));
  const [only] = alike;
  if (only !== undefined && alike.length === 1) return only;
  const names = (alike.length > 1 ? alike : nodes).map(({ id }) => `'${id}'`).join(', ');
  throw new VenturiError(
    'VENTURI_UNKNOWN_OPERATOR',
    alike.length > 1 ? `'${reference}' could be any of ${names}` : `this pipeline has no operator '${reference}'`,
    { remedy: alike.length > 1 ? 'name it in full' : `it has ${names}` },
  );
}

/**
 * Two processes that built the same graph agree on this. It covers ids, kinds, settings and the functions' source
 * text, not where they stand in a file.
 */
export const fingerprint = (nodes: readonly PlacedNode[]): string =>
  hashOf(nodes, node => [node.settings, textOf(node)]);

/** The text of an operator's functions; none where it has no function. */
export function textOf({ call, madeOf }: Node): string {
  if (madeOf !== undefined) return madeOf.map(String).join('\n');
  return call === undefined ? '' : isPerWorker(call) ? call.setup.toString() : call.toString();
}

/** The same without the functions' text: the main thread may have got the module through another tool than workers do. */
export const structure = (nodes: readonly PlacedNode[]): string =>
  hashOf(nodes, ({ settings, call }) => [settings, typeof call]);

/** Who reads from whom. A plan fits whatever has the same, be its settings and functions what they may. */
export const shape = (nodes: readonly PlacedNode[]): string => shapeOf(nodes.map(({ operator }) => operator));

/** The same of operators that were recorded. */
export function shapeOf(operators: readonly Operator[]): string {
  const hash = createHash('sha256');
  for (const { id, kind, inputs } of operators) hash.update(JSON.stringify([id, kind, inputs]));
  return shortened(hash);
}

function hashOf(nodes: readonly PlacedNode[], facts: (node: Node) => readonly unknown[]): string {
  const hash = createHash('sha256');
  for (const { id, node, operator } of nodes) {
    hash.update(JSON.stringify([id, node.kind, operator.inputs, ...facts(node)]));
  }
  return shortened(hash);
}

const shortened = (hash: Hash): string => hash.digest('hex').slice(0, 32);
