import { splitFrame } from './perf-script.ts';

/** A sample of perf with the frames of its stack, from the innermost out. */
export interface PerfStack {
  readonly pid: number;
  readonly tid: number;
  /** ns on CLOCK_MONOTONIC. */
  readonly time: number;
  readonly weight: number;
  readonly event: string;
  /** That was read or written, where the event tells; 0: it does not. */
  readonly address: number;
  readonly frames: readonly PerfFrame[];
}

export interface PerfFrame {
  readonly address: number;
  readonly symbol: string;
  readonly module: string;
}

/** What `perf script` is asked to print for samples with stacks. */
export const STACK_ARGUMENTS = [
  'script',
  '-F',
  'pid,tid,time,period,event,addr,ip,sym,dso',
  '--ns',
  '--no-inline',
  '--show-lost-events',
] as const;

/** `pid/tid seconds.nanoseconds: period event: address`, where the event tells of data also what lies there: `symbol (file)`; and a line for each frame behind it. */
const HEAD = /^\s*(\d+)\/(\d+)\s+(\d+)\.(\d{9}):\s+(\d+)\s+(\S+?):\s+([0-9a-f]+)(?: .*\))?\s*$/;
const FRAME = /^\s+([0-9a-f]+) (.*)$/;
/** A stack that is damaged may go on for ever. */
const MOST_FRAMES = 128;

/** Puts the lines of `perf script` together to samples. */
export class PerfStacks {
  #head: Omit<PerfStack, 'frames'> | undefined;
  #frames: PerfFrame[] = [];

  /** The sample that ended with this line. */
  line(text: string): PerfStack | undefined {
    const frame = this.#head === undefined ? null : FRAME.exec(text);
    if (frame !== null) {
      const [, address = '', rest = ''] = frame;
      if (this.#frames.length < MOST_FRAMES)
        this.#frames.push({ address: Number.parseInt(address, 16), ...splitFrame(rest) });
      return undefined;
    }
    const ended = this.end();
    const found = HEAD.exec(text);
    if (found === null) return ended;
    const [, pid, tid, seconds, nanoseconds, weight, event = '', address = ''] = found;
    this.#head = {
      pid: Number(pid),
      tid: Number(tid),
      time: Number(seconds) * 1e9 + Number(nanoseconds),
      weight: Number(weight),
      event,
      address: Number.parseInt(address, 16),
    };
    return ended;
  }

  /** The sample that was not ended yet. */
  end(): PerfStack | undefined {
    const ended = this.#head === undefined ? undefined : { ...this.#head, frames: this.#frames };
    this.#head = undefined;
    this.#frames = [];
    return ended;
  }
}
