import { VenturiError } from '../../model/errors.ts';
import type { StackFrame, StackHits } from '../../model/samples.ts';

/** `P12;T0:12;/home/me/train.py:main:32;… 20000`: process, thread, frames from the outermost in, microseconds. */
const LINE = /^P\d+;T[^;]*;(.*) (\d+)(?:,.*)?$/;
const FRAME = /^(.*):([^:]*):(\d+)$/;
const INTERVAL = /^# interval: (\d+)$/;

/** Stacks in the text format of Austin 3, which `mojo2austin` still writes. Its header has the sampling interval. */
export class AustinText {
  #interval = 0;

  line(text: string): StackHits | undefined {
    const interval = INTERVAL.exec(text)?.[1];
    if (interval !== undefined) this.#interval = Number(interval);
    const [, stack, time] = LINE.exec(text) ?? [];
    if (stack === undefined) return undefined;
    return { frames: stack.split(';').map(frameOf), hits: hitsOf(Number(time), this.#interval) };
  }
}

/** A stack that was met several times may have been written once, with the time of all. */
const hitsOf = (time: number, interval: number): number =>
  interval > 0 ? Math.max(1, Math.round(time / interval)) : 1;

function frameOf(text: string): StackFrame {
  const [, file, name, line] = FRAME.exec(text) ?? [];
  return file === undefined || name === undefined ? native(text) : { name, file, line: Number(line) };
}

const native = (name: string): StackFrame => ({ name, file: '', line: 0 });

export const MOJO = 'MOJ';

/** What follows in a file of Austin 4, by the number before it. */
const EVENT = {
  metadata: 1,
  stack: 2,
  frame: 3,
  invalid: 4,
  frameReference: 5,
  kernel: 6,
  collecting: 7,
  idle: 8,
  time: 9,
  memory: 10,
  string: 11,
  stringReference: 12,
  repeat: 13,
  taskStack: 14,
  taskWaiter: 15,
  taskRunning: 16,
} as const;

/** Stacks in Austin 4's binary stream of events: strings and frames are defined once per process, then referred to. */
export function mojoStacks(bytes: Uint8Array, path: string): StackHits[] {
  try {
    return new MojoReader(bytes).stacks();
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new VenturiError('VENTURI_SAMPLES_UNREADABLE', `${path} is not a file that Austin wrote: ${error.message}.`, {
      remedy: "Austin's own converter may read it: mojo2austin FILE FILE.austin, then import that.",
      cause: error,
    });
  }
}

class MojoReader {
  readonly #bytes: Uint8Array;
  #at = MOJO.length;
  readonly #version: number;
  readonly #texts = new Map<string, string>();
  readonly #frames = new Map<string, StackFrame>();
  /** The last stack of each thread, on which the next may rest. */
  readonly #last = new Map<string, StackFrame[]>();
  #interval = 0;
  #pid = 0;
  #thread = '';
  #stack: StackFrame[] = [];
  /** References that belong to a task and not to the stack. */
  #ofTask = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.#version = this.#int();
    if (this.#version < 1 || this.#version > 4) throw new RangeError(`its version is ${this.#version}`);
  }

  stacks(): StackHits[] {
    const found: StackHits[] = [];
    let time: number | undefined;
    const end = (): void => {
      if (time !== undefined) found.push({ frames: this.#stack, hits: hitsOf(time, this.#interval) });
      if (this.#thread !== '') this.#last.set(this.#thread, this.#stack);
      time = undefined;
    };
    while (this.#at < this.#bytes.length) {
      const event = this.#byte();
      if (event === EVENT.stack) end();
      if (event === EVENT.time) time = this.#int();
      else this.#read(event);
    }
    end();
    return found;
  }

  #read(event: number): void {
    switch (event) {
      case EVENT.metadata: {
        const name = this.#text();
        const value = this.#text();
        if (name === 'interval') this.#interval = Number(value);
        return;
      }
      case EVENT.stack:
        this.#pid = this.#int();
        if (this.#version >= 3) this.#int();
        this.#thread = `${this.#pid} ${this.#text()}`;
        this.#stack = [];
        return;
      case EVENT.frame:
        this.#define();
        return;
      case EVENT.frameReference: {
        const frame = this.#frames.get(this.#key());
        if (this.#ofTask > 0) this.#ofTask--;
        else this.#stack.push(frame ?? native('[unknown]'));
        return;
      }
      case EVENT.kernel:
        this.#stack.push(native(this.#text()));
        return;
      case EVENT.string:
        this.#texts.set(this.#key(), this.#text());
        return;
      case EVENT.repeat: {
        const before = this.#last.get(this.#thread) ?? [];
        this.#stack = [...before.slice(0, before.findLastIndex(({ line }) => line > 0) + 1), ...this.#stack];
        return;
      }
      case EVENT.taskStack:
        this.#ints(2);
        this.#ofTask = this.#int();
        return;
      case EVENT.taskWaiter:
        this.#ints(2);
        return;
      case EVENT.memory:
      case EVENT.stringReference:
      case EVENT.taskRunning:
        this.#ints(1);
        return;
      case EVENT.invalid:
      case EVENT.collecting:
      case EVENT.idle:
        return;
      default:
        throw new RangeError(`it has an event ${event}`);
    }
  }

  #define(): void {
    const key = this.#key();
    const file = this.#texts.get(this.#key()) ?? '';
    const name = this.#texts.get(this.#key()) ?? '[unknown]';
    const line = this.#int();
    if (this.#version > 1) this.#ints(3);
    this.#frames.set(key, { name, file, line });
  }

  #key(): string {
    return `${this.#pid} ${this.#int()}`;
  }

  #byte(): number {
    const byte = this.#bytes[this.#at++];
    if (byte === undefined) throw new RangeError('it breaks off');
    return byte;
  }

  /** Seven bits a byte, the first of which also has the sign. */
  #int(): number {
    const first = this.#byte();
    let value = first & 0x3f;
    let scale = 2 ** 6;
    for (let more = first & 0x80; more !== 0; ) {
      const byte = this.#byte();
      value += (byte & 0x7f) * scale;
      scale *= 2 ** 7;
      more = byte & 0x80;
    }
    return first & 0x40 ? -value : value;
  }

  #ints(count: number): void {
    for (let left = count; left > 0; left--) this.#int();
  }

  #text(): string {
    const end = this.#bytes.indexOf(0, this.#at);
    if (end === -1) throw new RangeError('it breaks off');
    const text = Buffer.from(this.#bytes.subarray(this.#at, end)).toString('utf8');
    this.#at = end + 1;
    return text;
  }
}
