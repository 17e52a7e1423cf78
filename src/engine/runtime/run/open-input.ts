import type { VenturiError } from '../../../model/errors.ts';
import { badOption } from '../../../model/option.ts';
import type { PlacedNode } from '../../compile/graph.ts';
import { inputsOf, stageAt } from '../../compile/stages.ts';
import { isSeries } from '../../contract/source.ts';
import { operatorKind } from '../../operators/registry.ts';
import type { Position } from '../books/position.ts';
import { openCache } from '../cache/open-cache.ts';
import { Losses } from '../calls/losses.ts';
import { readState } from '../chunk/index.ts';
import { InterleaveInput } from '../interleave/interleave-input.ts';
import { ConcatInput } from '../joins/concat.ts';
import type { SavedJoin } from '../joins/join-input.ts';
import { MergeInput } from '../joins/merge.ts';
import { Port } from '../joins/port.ts';
import { SidesInput } from '../joins/sides.ts';
import { ZipInput } from '../joins/zip.ts';
import type { Input } from '../stage/input.ts';
import type { Passes, SavedPasses } from '../stage/pass-counter.ts';
import { type ReaderParts, SourceInput } from '../stage/source-input.ts';
import type { OperatorState } from '../stage/stage-runner.ts';
import type { LaneOrder } from './lane-order.ts';

/** Where a lane gets its elements: from `links`, by port. `hasten`: called when one of several has word from upstream of where that stood. */
export function openInput(order: LaneOrder, links: readonly Input[], hasten: () => void): Input {
  const { plan, stage } = order;
  const [first] = stageAt(plan, stage).nodes;
  if (first === undefined) throw new Error(`stage ${stage} has no operator`);
  if (!plan.topology.isOrigin(first)) return only(links, first);
  const passes: Passes = { count: plan.topology.passes(first), cut: plan.topology.isCut(first) };
  const { source } = first.node;
  const saved = savedOrigin(order.journal?.starts[first.id]?.state);
  const losses = order.losses ?? new Losses(first.id, order.settings.deadLetter);
  const parts = { signal: order.stop.signal, memory: order.memory, losses };
  if (source === undefined) {
    return openJoin(order, first, openPorts(order, first, links, hasten), passes, parts, saved);
  }
  if (passes.count > 1 && !isSeries(source) && source.once === true) throw usedUp(first.id, passes.count);
  const own = { ...parts, step: order.settings.chunkElements, mostAtOnce: order.mostAtOnce };
  return new SourceInput(source, passes, own, saved as never);
}

/** The only one of an operator's inputs. */
function only<T>([input]: readonly T[], { id }: PlacedNode): T {
  if (input === undefined) throw new Error(`nothing leads to '${id}'`);
  return input;
}

const usedUp = (id: string, passes: number): VenturiError => {
  const often = Number.isFinite(passes) ? `${passes} times` : 'again and again';
  return badOption(
    `'${id}' was given an iterator or a stream, which can be gone through once, and is to be gone through ${often}`,
    'give a function that makes one: from(() => …); or keep what it gives: from(…).cache()',
  );
};

const savedOrigin = (state: Uint8Array | undefined): unknown =>
  state === undefined ? undefined : (readState(state) as OperatorState).origin;

function openPorts(
  { plan, stage, journal }: LaneOrder,
  { id }: PlacedNode,
  links: readonly Input[],
  hasten: () => void,
): readonly Port[] {
  const lasts = inputsOf(plan, stage).map(at => plan.stages[plan.links[at]?.from ?? -1]?.nodes.at(-1));
  return links.map((input, port) => {
    const last = lasts[port];
    const landmark = (of: Position, at: Position): void => {
      journal?.post({ snapshots: [], landmarks: [{ reader: id, port, of, at }] });
      hasten();
    };
    return new Port(input, last === undefined ? 1 : plan.topology.perPass(last), {
      start: journal?.starts[id]?.inputs[port],
      landmark: journal?.everyMs === undefined ? undefined : landmark,
      silent: last !== undefined && operatorKind(last.node.kind).sink === true,
    });
  });
}

function openJoin(
  order: LaneOrder,
  placed: PlacedNode,
  ports: readonly Port[],
  passes: Passes,
  parts: ReaderParts,
  saved: unknown,
): Input {
  const { plan, settings, journal, inner, caches } = order;
  const join = saved as SavedJoin | undefined;
  const { node, id } = placed;
  switch (node.kind) {
    case 'cache': {
      const own = { port: only(ports, placed), passes, saved: saved as SavedPasses | undefined };
      return openCache(plan, placed, own, caches[id], settings.memory);
    }
    case 'zip':
      return new ZipInput(ports, passes, join);
    case 'concat':
      return new ConcatInput(ports, passes, join);
    case 'join':
      return new SidesInput(ports, passes, join);
    case 'merge':
      return new MergeInput(ports, passes, Number(node.settings.block), join);
    case 'interleave': {
      const own = { ...parts, inner, resumable: journal?.everyMs !== undefined };
      return new InterleaveInput(placed, only(ports, placed), passes, settings.seed, own, join);
    }
    default:
      throw new Error(`'${id}' cannot stand first in a stage`);
  }
}
