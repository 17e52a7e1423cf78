import { operatorKind } from '../operators/registry.ts';
import type { FusedOperator } from './fused-chain.ts';
import type { PlacedNode } from './graph.ts';
import { isAsync, policyOf, type UserFunction } from './node.ts';

/** Operators of a stage that become one loop: those from `from` up to `to`. */
export interface SegmentRange {
  readonly from: number;
  readonly to: number;
  /** Operator `to` has an async function, whose calls are awaited: its results are the input of the next loop. */
  readonly awaits: boolean;
}

/** Operators whose functions may be async. */
const AWAITED = new Set(['map', 'forEach']);

/** Cuts a stage behind every async function: what lies between becomes one loop. `calls`: the functions of its operators. */
export function cutSegments(
  nodes: readonly PlacedNode[],
  calls: readonly (UserFunction | undefined)[],
): readonly SegmentRange[] {
  const ranges: SegmentRange[] = [];
  let from = 0;
  for (const [at, { node }] of nodes.entries()) {
    if (!isAsync(calls[at]) || !AWAITED.has(node.kind)) continue;
    ranges.push({ from, to: at, awaits: true });
    from = at + 1;
  }
  return [...ranges, { from, to: nodes.length, awaits: false }];
}

export const wantsContext = (call: UserFunction | undefined): boolean => (call?.length ?? 0) >= 2;

/** The operators of a loop, as the code generator takes them. `discards`: by position in `nodes`. */
export const fusedOperators = (
  nodes: readonly PlacedNode[],
  calls: readonly (UserFunction | undefined)[],
  discards: (at: number) => boolean,
): readonly FusedOperator[] =>
  nodes.map(({ node }, at) => ({
    kind: operatorKind(node.kind),
    settings: node.settings,
    wantsContext: wantsContext(calls[at]),
    skips: policyOf(node)?.skip ?? false,
    discards: discards(at),
  }));

/** Items of a row that a stage writes flat, because it ends in a batch; 0 where several rows may leave its loop's middle at once. */
export function rowLengthOf(nodes: readonly PlacedNode[]): number {
  const last = nodes.at(-1)?.node;
  const many = nodes.some(({ node }) => operatorKind(node.kind).many === true);
  return last?.kind === 'batch' && !many ? Number(last.settings.size) : 0;
}

/** As stack traces and profiles name the loop of a stage. */
export const loopFile = (stage: string, number: number): string =>
  `venturi:${stage.replaceAll(/[^\w+-]/g, '_')}.${number}`;
