import { WAITING_LINE } from '../../../model/line-ranges.ts';
import type { Frame, ProfileEntry } from '../../../model/profile.ts';
import type { FrameFiles } from './frame-files.ts';

/** An event of V8's trace, as far as it is read. Moments are µs on CLOCK_MONOTONIC. */
export interface TraceEvent {
  readonly name: string;
  readonly cat: string;
  readonly ph: string;
  readonly tid: number;
  readonly ts: number;
  readonly dur?: number;
  readonly id?: string;
  readonly args: { readonly data?: ProfileData };
}

interface ProfileData {
  readonly startTime?: number;
  readonly cpuProfile?: { readonly nodes?: readonly TraceNode[]; readonly samples?: readonly number[] };
  readonly timeDeltas?: readonly number[];
  readonly lines?: readonly number[];
}

interface TraceNode {
  readonly id: number;
  readonly parent?: number;
  readonly callFrame: {
    readonly functionName: string;
    readonly url?: string;
    readonly lineNumber?: number;
    readonly columnNumber?: number;
  };
}

/** Reads V8's trace, piece by piece: functions are told once, with the first sample in them. */
export class TraceReader {
  readonly #files: FrameFiles;
  /** Of functions, by stream and number. */
  readonly #urls = new Map<string, Map<number, string>>();

  constructor(files: FrameFiles) {
    this.#files = files;
  }

  /** What is kept of a piece of the trace. */
  entriesOf(events: readonly TraceEvent[]): ProfileEntry[] {
    const entries: ProfileEntry[] = [];
    const compiling = new Map<number, [number, number][]>();
    for (const { name, cat, ph, tid, ts, dur, id, args } of events) {
      if (name === 'Profile' && id !== undefined) entries.push({ start: [id, tid, args.data?.startTime ?? ts] });
      else if (name === 'ProfileChunk' && id !== undefined) entries.push(this.#chunkOf(id, args.data ?? {}));
      else if (ph === 'X' && cat.includes('v8.compile')) {
        const spans = compiling.get(tid) ?? [];
        spans.push([ts, dur ?? 0]);
        compiling.set(tid, spans);
      }
    }
    return [...entries, ...[...compiling].map(([tid, spans]) => ({ compiling: tid, spans: outermost(spans) }))];
  }

  #chunkOf(stream: string, { cpuProfile, timeDeltas = [], lines = [] }: ProfileData): ProfileEntry {
    const urls = this.#urls.get(stream) ?? new Map<number, string>();
    this.#urls.set(stream, urls);
    const nodes = cpuProfile?.nodes ?? [];
    for (const { id, callFrame } of nodes) urls.set(id, callFrame.url ?? '');
    const samples = [...(cpuProfile?.samples ?? [])];
    return {
      stream,
      frames: nodes.map((node): Frame => frameOf(node, this.#files)),
      samples,
      deltas: [...timeDeltas],
      lines: samples.map((node, at) => {
        // Where no sample of a piece has a line, V8 leaves them out.
        const line = lines[at] ?? 0;
        return this.#files.isWaiting(urls.get(node) ?? '', line) ? WAITING_LINE : line;
      }),
    };
  }
}

function frameOf({ id, parent = 0, callFrame }: TraceNode, files: FrameFiles): Frame {
  const { functionName, url = '', lineNumber = 0, columnNumber = 0 } = callFrame;
  return [id, parent, functionName, files.nameOf(url, lineNumber), lineNumber, columnNumber];
}

/** Compilation within compilation is told twice. */
function outermost(spans: readonly [number, number][]): [number, number][] {
  const kept: [number, number][] = [];
  for (const span of [...spans].sort(([a, long], [b, longer]) => a - b || longer - long)) {
    const last = kept.at(-1);
    if (last === undefined || span[0] >= last[0] + last[1]) kept.push(span);
  }
  return kept;
}
