import type { Analysis } from '../analysis/analysis.ts';
import { memoryFor, type PassedInParts, passedInParts } from '../analysis/bottleneck/in-parts.ts';
import { cpuIsFull, narrowPlace } from '../analysis/bottleneck/narrow.ts';
import { CONSUMER } from '../model/consumer.ts';
import { type Bytes, bytes, type Share } from '../model/units.ts';
import { byteOption, byteSize, count, percent, plural, rate } from '../report/format.ts';
import type { Definition } from './definition.ts';
import { isMuchOutside } from './own-threads.ts';

export interface Figures {
  readonly channel: string;
  readonly from: string;
  readonly to: string;
  /** What passes is batches; of so many elements, where that is known. */
  readonly batch: number | undefined;
  readonly largest: Bytes;
  /** Of the bytes of the channel. */
  readonly share: Share;
  /** The largest chunk that passes whole with the memory the run has. */
  readonly slot: Bytes;
  /** Further channels of which the same holds. */
  readonly others: number;
  /** Memory of the run for elements under way, and the least with which all of it passes whole; undefined where none is enough. */
  readonly memory: Bytes;
  readonly needed: Bytes | undefined;
  readonly usable: Bytes;
}

/** Part of the machine's memory that is advised for elements under way: the rest is for functions, caches and other programs. */
const MOST_OF_MACHINE = 0.5;

/** Elements are larger than the slots of a channel: they are encoded aside, copied into slots one part after the other, and copied together behind them. */
export const chunksInParts: Definition<Figures> = {
  inPipeline(analysis) {
    const { graph, host } = analysis;
    const passed = passedInParts(analysis);
    const [most, ...others] = passed;
    if (most === undefined || graph.memory === undefined) return undefined;
    const { from, to, id } = most.channel;
    const needed = memoryFor(analysis, passed);
    const isThere = needed !== undefined && needed <= MOST_OF_MACHINE * host.memoryUsable;
    return {
      limits: holdsUp(analysis, passed),
      cause: cpuIsFull(analysis)
        ? { type: 'hardware', resource: 'cpu', full: analysis.rates.cpu.utilisation }
        : { type: 'software' },
      operators: [from, to].filter(end => end !== CONSUMER),
      figures: {
        ...{ channel: id, from, to, largest: most.largest, share: most.share, slot: bytes(most.slotBytes) },
        batch: graph.operators.find(operator => operator.id === from)?.gathers,
        others: others.length,
        memory: bytes(graph.memory),
        needed: needed === undefined ? undefined : bytes(needed),
        usable: bytes(host.memoryUsable),
      },
      fix: isThere ? { type: 'memory', bytes: needed } : { type: 'advice' },
    };
  },

  words({ figures, fix, limits }, { label, now }) {
    const { from, to, batch, largest, share, slot, others, memory } = figures;
    const what = batch === undefined ? 'Chunks' : 'Batches';
    const reader = to === CONSUMER ? 'the consumer' : label(to);
    const more = others === 0 ? '' : `; ${plural(others, 'more channel')} likewise`;
    const [pass, end] = limits ? ['limit this pipeline: they pass', `; ${rate(now)}`] : ['pass', ''];
    return {
      text: `${what} of up to ${byteSize(largest)} ${pass} from ${label(from)} to ${reader} in parts of ${byteSize(slot)}, the most that ${byteSize(memory)} of memory allow: ${percent(share)} of the bytes there are copied two more times${more}${end}`,
      advice: fix.type === 'memory' ? 'they pass whole' : smaller(figures),
    };
  },
};

/** All cores are busy, much of it outside all lanes, where what is encoded aside is collected; or a channel is full at them or before them. */
function holdsUp(analysis: Analysis, passed: readonly PassedInParts[]): boolean {
  if (cpuIsFull(analysis) && isMuchOutside(analysis)) return true;
  const place = narrowPlace(analysis);
  if (place?.type !== 'channel') return false;
  const { from } = place.edge;
  const below = analysis.topology.downstream();
  below.add(from);
  const ids = new Set(passed.map(({ channel }) => channel.id));
  return analysis.topology.edges.some(
    edge => (edge.from === from || below.has(edge.from)) && edge.channels.some(({ id }) => ids.has(id)),
  );
}

/** What to do where more memory is no way. */
function smaller({ batch, largest, slot, needed, usable }: Figures): string {
  const why =
    needed === undefined
      ? 'No memory lets them pass whole'
      : `They pass whole with --memory ${byteOption(needed)}, of the ${byteSize(usable)} that there are`;
  const fitting = Math.floor(((batch ?? 0) * slot) / largest);
  const batches = fitting > 0 ? `smaller batches (${count(fitting)} elements fit)` : 'smaller elements';
  return `${why}: ${batches}${needed === undefined ? '' : ' or fewer threads'} take less`;
}
