import { freeId, insertedAfter, leftOut } from '../../graph/rewrite.ts';
import { whyNotDivided, whyNotKept } from '../../graph/soundness.ts';
import type { AppliedPlan, Truncation } from '../../model/applied-plan.ts';
import { VenturiError } from '../../model/errors.ts';
import { badOption, describe, wholeNumber } from '../../model/option.ts';
import type { Action } from '../../model/plan.ts';
import type { DividedSource, Part } from '../contract/source.ts';
import { applySettings, type PlacedNode, placeNode, shape } from './graph.ts';
import { bareNode, dividedSource, type Node } from './node.ts';
import { Topology } from './topology.ts';

/**
 * Carries out a plan. Operators keep their ids, on which random numbers rest, so what comes out is what came out before; a
 * change for which that would not hold is refused. Every thread does this for itself and must come to the same.
 */
export function rewrite(nodes: readonly PlacedNode[], { actions }: AppliedPlan): readonly PlacedNode[] {
  return actions.reduce<readonly PlacedNode[]>((sofar, action) => verified(carryOut(sofar, action), action), nodes);
}

/** Where ways part, a cache on one of them may leave readers of one operator that want it a different number of times. */
function verified(nodes: readonly PlacedNode[], { kind, operator }: Action | Truncation): readonly PlacedNode[] {
  try {
    new Topology(nodes);
    return nodes;
  } catch (cause) {
    if (!(cause instanceof VenturiError)) throw cause;
    throw unsound(`with a ${kind} at '${operator}', ${cause.message}`, cause);
  }
}

const unsound = (what: string, cause?: unknown): VenturiError =>
  new VenturiError('VENTURI_PLAN_UNSOUND', what, { cause, remedy: 'take this change out of the plan' });

/** A plan for one pipeline is none for another. `nodes` are those of the pipeline itself. */
export function checkShape(nodes: readonly PlacedNode[], plan: AppliedPlan): void {
  if (plan.shape === undefined || plan.shape === shape(nodes)) return;
  const unknown = plan.actions.find(({ operator }) => !nodes.some(({ id }) => id === operator))?.operator;
  const why = unknown === undefined ? 'its operators are connected otherwise' : `it has no operator '${unknown}'`;
  throw new VenturiError('VENTURI_PLAN_OTHER_PIPELINE', `the plan was made for another pipeline: ${why}`, {
    remedy: 'make one for this pipeline: venturi tune PIPELINE --out plan.json',
  });
}

function carryOut(nodes: readonly PlacedNode[], action: Action | Truncation): readonly PlacedNode[] {
  const at = nodes.find(({ id }) => id === action.operator);
  if (at === undefined) {
    throw new VenturiError('VENTURI_PLAN_OTHER_PIPELINE', `the plan changes '${action.operator}', which is not there`, {
      remedy: 'make a plan for this pipeline: venturi tune PIPELINE --out plan.json',
    });
  }
  /** Plans come from files that were checked, and from programs. */
  const whole = (option: string, value: number): number =>
    wholeNumber(`the plan's ${action.kind} at '${at.id}'`, option, value, 1);
  switch (action.kind) {
    case 'parallelism':
      if (action.to !== undefined) return applySettings(nodes, { [at.id]: { parallelism: action.to } });
      return nodes.map(each => (each === at ? unasked(at) : each));
    case 'concurrency':
      return applySettings(nodes, { [at.id]: { concurrency: action.to } });
    case 'prefetch':
      return inserted(nodes, at, 'prefetch', {
        elements: whole('elements', action.elements),
        slots: action.slots === undefined ? undefined : whole('slots', action.slots),
      });
    case 'sample':
      return inserted(nodes, at, 'take', { count: action.elements });
    case 'end':
      return [...new Topology(nodes).upstream(at), at];
    case 'cache': {
      const limit = whole('limit', action.limit);
      sound(at, `kept`, whyNotKept(new Topology(nodes), at));
      return inserted(nodes, at, 'cache', { folder: action.folder, limit });
    }
    case 'divide':
      return divided(nodes, at, whole('parallelism', action.parallelism));
    case 'remove':
      return removed(nodes, at);
    default:
      throw badOption(
        `the plan's change at '${at.id}' is ${describe((action as Action).kind)}`,
        'give one of parallelism, concurrency, prefetch, cache, divide or remove',
      );
  }
}

function sound({ id }: PlacedNode, what: string, why: string | undefined): void {
  if (why === undefined) return;
  throw new VenturiError('VENTURI_PLAN_UNSOUND', `what comes out of '${id}' cannot be ${what}: ${why}`, {
    remedy: 'take this change out of the plan, or make the plan anew: venturi tune PIPELINE --out plan.json',
  });
}

/** An operator between `at` and all that read from it. */
function inserted(
  nodes: readonly PlacedNode[],
  at: PlacedNode,
  kind: string,
  settings: Node['settings'],
): readonly PlacedNode[] {
  const topology = new Topology(nodes);
  const id = freeId(topology, `${at.id}/${kind}`);
  return insertedAfter(topology, at, placeNode(id, bareNode(kind, [at.node], settings), [at.id]), rewire);
}

const rewire = ({ id, node }: PlacedNode, inputs: readonly string[]): PlacedNode => placeNode(id, node, inputs);

function removed(nodes: readonly PlacedNode[], at: PlacedNode): readonly PlacedNode[] {
  const topology = new Topology(nodes);
  const { cache, removable } = at.operator;
  const left = removable === true || cache !== undefined ? leftOut(topology, at, rewire) : undefined;
  if (left === undefined) {
    throw unsound(`'${at.id}' is no prefetch or cache, so it cannot be left out`);
  }
  const [before] = topology.inputs(at);
  if (cache !== undefined && before !== undefined)
    sound(at, 'made anew in every pass', whyNotKept(topology, before, at));
  return left;
}

/** The same without a parallelism of its own: it rides in the lanes of the operator before it. */
const unasked = ({ id, node, operator }: PlacedNode): PlacedNode =>
  placeNode(id, { ...node, parallelism: undefined }, operator.inputs);

/** Instead of the source one that lists its parts, and in its place, under its id, one that reads them. */
function divided(nodes: readonly PlacedNode[], at: PlacedNode, parallelism: number): readonly PlacedNode[] {
  const source = dividedSource(at.node);
  if (source === undefined) {
    throw unsound(`'${at.id}' is no source that can be read in parts`);
  }
  const topology = new Topology(nodes);
  sound(at, 'read in parts', whyNotDivided(topology, at));
  const list = placeNode(freeId(topology, `${at.id}/parts`), listing(at.node, source), []);
  // A thread takes one part at a time: they may be large.
  const prefetch = { elements: 2 * parallelism + 2 };
  const handOut = placeNode(freeId(topology, `${at.id}/hand-out`), bareNode('prefetch', [list.node], prefetch), [
    list.id,
  ]);
  const read: Node = {
    ...bareNode('flatMap', [handOut.node], at.node.settings),
    name: at.node.name ?? at.node.kind,
    parallelism,
    call: (part: Part) => elementsOf(source, part),
    at: at.node.at,
  };
  const reader = placeNode(at.id, read, [handOut.id]);
  return nodes.flatMap(node => (node === at ? [list, handOut, reader] : [node]));
}

function listing(node: Node, source: DividedSource): Node {
  const files = node.source !== undefined && 'files' in node.source ? node.source.files : undefined;
  const open = () => {
    const parts = source.parts()[Symbol.iterator]();
    let done = 0;
    return {
      read(into: unknown[], limit: number): number {
        for (let count = 0; count < limit; count++) {
          const next = parts.next();
          if (next.done === true) return count;
          done = next.value.done;
          into.push(next.value);
        }
        return limit;
      },
      done: () => done,
      close: () => void parts.return?.(),
    };
  };
  return {
    ...bareNode('parts', [], node.settings),
    source: files === undefined ? open : Object.assign(open, { files }),
  };
}

/** Elements at a time, of a part that is being read. */
const PIECE = 256;

function* elementsOf(source: DividedSource, part: Part): Iterable<unknown> {
  const reader = source.read(part);
  const piece: unknown[] = [];
  try {
    while (reader.read(piece, PIECE) > 0) {
      // An iterator inside the iterator would cost as much as a short line.
      for (let at = 0; at < piece.length; at++) yield piece[at];
      piece.length = 0;
    }
  } finally {
    reader.close();
  }
}
