import { VenturiError } from '../../../model/errors.ts';
import type { PlacedNode } from '../../compile/graph.ts';
import { type ExecutionPlan, inputsOf } from '../../compile/stages.ts';
import { isSeries } from '../../contract/source.ts';
import { operatorKind } from '../../operators/registry.ts';
import type { CacheSettings } from '../cache/open-cache.ts';
import { openCache } from '../cache/open-cache.ts';
import { Losses } from '../calls/losses.ts';
import type { JournalParts } from '../checkpoint/stage-journal.ts';
import { readState } from '../chunk/index.ts';
import type { InnerParts } from '../interleave/inner.ts';
import { InterleaveInput } from '../interleave/interleave-input.ts';
import { ConcatInput } from '../joins/concat.ts';
import type { SavedJoin } from '../joins/join-input.ts';
import { MergeInput } from '../joins/merge.ts';
import { Port, type PortOptions } from '../joins/port.ts';
import { ZipInput } from '../joins/zip.ts';
import type { Input } from '../stage/input.ts';
import type { MemoryGuard } from '../stage/memory-guard.ts';
import type { Passes, SavedPasses } from '../stage/pass-counter.ts';
import { SourceInput } from '../stage/source-input.ts';
import type { OperatorState } from '../stage/stage-runner.ts';

export interface InputParts {
  readonly signal: AbortSignal;
  /** Fixes how many elements are read from a source at a time. */
  readonly chunkElements: number | undefined;
  /** More than this are not read at a time otherwise. */
  readonly mostAtOnce?: number | undefined;
  /** What the stage reads from, by port. */
  readonly links: readonly Input[];
  readonly seed: number;
  readonly memory: MemoryGuard;
  /** File for what is given up. */
  readonly deadLetter: string | undefined;
  /** Of the operator that opened the pipeline, where one did: it tells what its sources gave up. */
  readonly losses?: Losses | undefined;
  /** Runs a pipeline on this thread, for an operator that opens some. */
  readonly stages: InnerParts['stages'];
  readonly caches: CacheSettings;
  /** Where the run can be resumed, or was. */
  readonly journal: JournalParts | undefined;
  /** Called when a port has word from upstream of where that stood. */
  readonly hasten: () => void;
}

/** Where stage `stage` of the plan gets its elements. */
export function openInput(plan: ExecutionPlan, stage: number, parts: InputParts): Input {
  const { topology, stages } = plan;
  const first = stages[stage]?.nodes[0];
  if (first === undefined) throw new Error(`the plan has no stage ${stage}`);
  const [link] = parts.links;
  if (!topology.isOrigin(first)) {
    if (link === undefined) throw new Error(`nothing leads to '${first.id}'`);
    return link;
  }
  const passes: Passes = { count: topology.passes(first), cut: topology.isCut(first) };
  const { source } = first.node;
  const saved = savedOrigin(parts.journal?.starts[first.id]?.state);
  if (source === undefined) return openJoin(plan, stage, first, passes, parts, saved);
  if (passes.count > 1 && !isSeries(source) && source.once === true) throw usedUp(first.id, passes.count);
  const step = { fixed: parts.chunkElements, most: parts.mostAtOnce };
  const losses = parts.losses ?? new Losses(first.id, parts.deadLetter);
  return new SourceInput(source, passes, parts.signal, step, parts.memory, saved as never, losses);
}

const usedUp = (id: string, passes: number): VenturiError => {
  const often = Number.isFinite(passes) ? `${passes} times` : 'again and again';
  return new VenturiError(
    'VENTURI_BAD_OPTION',
    `'${id}' was given an iterator or a stream, which can be gone through once, and is to be gone through ${often}`,
    { remedy: 'give a function that makes one: from(() => …); or keep what it gives: from(…).cache()' },
  );
};

const savedOrigin = (state: Uint8Array | undefined): unknown =>
  state === undefined ? undefined : (readState(state) as OperatorState).origin;

function openJoin(
  plan: ExecutionPlan,
  stage: number,
  placed: PlacedNode,
  passes: Passes,
  parts: InputParts,
  saved: unknown,
): Input {
  const join = saved as SavedJoin | undefined;
  const { node, id } = placed;
  const lasts = inputsOf(plan, stage).map(at => plan.stages[plan.links[at]?.from ?? -1]?.nodes.at(-1));
  const ports = parts.links.map((input, at) => {
    const last = lasts[at];
    return new Port(input, last === undefined ? 1 : plan.topology.perPass(last), {
      ...portOptions(id, at, parts),
      silent: last !== undefined && operatorKind(last.node.kind).sink === true,
    });
  });
  switch (node.kind) {
    case 'cache': {
      const [port] = ports;
      if (port === undefined) throw new Error(`nothing leads to '${id}'`);
      return openCache(plan, placed, port, passes, parts.caches, saved as SavedPasses | undefined);
    }
    case 'zip':
      return new ZipInput(ports, passes, join);
    case 'concat':
      return new ConcatInput(ports, passes, join);
    case 'merge':
      return new MergeInput(ports, passes, Number(node.settings.block), join);
    case 'interleave': {
      const [port] = ports;
      if (port === undefined) throw new Error(`nothing leads to '${id}'`);
      return new InterleaveInput(placed, port, passes, parts.seed, parts, join);
    }
    default:
      throw new Error(`'${id}' cannot stand first in a stage`);
  }
}

function portOptions(id: string, port: number, { journal, hasten }: InputParts): PortOptions {
  if (journal === undefined) return {};
  const { starts, everyMs, post } = journal;
  return {
    start: starts[id]?.inputs[port],
    landmark:
      everyMs === undefined
        ? undefined
        : (of, at) => {
            post({ snapshots: [], landmarks: [{ reader: id, port, of, at }] });
            hasten();
          },
  };
}
