import type { LaneDictionary, RecordedProfile } from '../../model/profile.ts';
import type { JointOwner, Owner } from './owner.ts';
import { Resolver } from './resolver.ts';

/** A sample of a lane, with its owner. */
export interface AttributedSample {
  readonly lane: LaneDictionary;
  /** ns since the start of the run. */
  readonly time: number;
  readonly owner: Owner;
}

export interface ProfileRange {
  /** The run's start on CLOCK_MONOTONIC, ns. */
  readonly start: number;
  /** ns since then, between which samples count. */
  readonly from?: number | undefined;
  readonly to?: number | undefined;
}

const COMPILATION: Owner = { kind: 'compilation' };

/** The samples of all lanes, thread by thread in the order of time. Threads that are no lane's are left out: the consumer's is the caller's. */
export function* attributedSamples(
  { lanes, streams, compiling }: RecordedProfile,
  { start, from = 0, to = Number.POSITIVE_INFINITY }: ProfileRange,
): Generator<AttributedSample, void, undefined> {
  for (const { tid, frames, times, nodes, lines } of streams) {
    const own = lanes.filter(lane => lane.tid === tid);
    const lane = own.find(({ isQuery }) => isQuery !== true);
    if (lane === undefined) continue;
    const resolver = new Resolver(own, frames);
    const spans = compiling.get(tid) ?? [];
    const joint = new JointLines();
    let next = 0;
    for (const [at, moment] of times.entries()) {
      const time = moment - start;
      while (next < spans.length && (spans[next]?.[0] ?? 0) + (spans[next]?.[1] ?? 0) < moment) next++;
      if (time < from || time >= to) continue;
      const owner = joint.ownerOf(resolver.ownerOf(nodes[at] ?? -1, lines[at] ?? 0));
      const isCompiling = moment >= (spans[next]?.[0] ?? Number.POSITIVE_INFINITY);
      yield {
        lane,
        time,
        owner: isCompiling && owner.kind !== 'idle' && owner.kind !== 'collection' ? COMPILATION : owner,
      };
    }
  }
}

/** Samples of lines that several tasks own: the tasks take turns, so that each has an equal part of a line, over any range of time. */
export class JointLines {
  readonly #turns = new Map<number, number>();

  ownerOf(owner: Owner | JointOwner): Owner {
    if (owner.kind !== 'joint') return owner;
    const { tasks, line, within } = owner;
    const turn = this.#turns.get(line) ?? 0;
    this.#turns.set(line, turn + 1);
    const { operator = '', task = '' } = tasks[turn % tasks.length] ?? {};
    const among = [...new Set(tasks.map(each => each.operator))];
    return {
      kind: 'operator',
      operator,
      task,
      line,
      by: 'line',
      ...(within === undefined ? {} : { within }),
      ...(among.length > 1 ? { among } : {}),
    };
  }
}
