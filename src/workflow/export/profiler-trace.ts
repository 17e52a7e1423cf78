import { createReadStream } from 'node:fs';
import { createGunzip } from 'node:zlib';
import { openRegular } from '../../files/regular-file.ts';
import { VenturiError } from '../../model/errors.ts';

/** A trace of the PyTorch profiler, or any of Chrome's format. */
export interface ProfilerTrace {
  readonly path: string;
  /** Unix time in ns that its moments count from; 0 where they are that time themselves. */
  readonly baseNs: bigint;
  /** Unix time of one of its first events, ns; undefined where it has none. */
  readonly firstNs: bigint | undefined;
}

/** Enough for what stands before and behind the events. */
const EDGE = 256 * 1024;
const BASE = /"baseTimeNanoseconds"\s*:\s*(\d+)/;
const FIRST = /"ts"\s*:\s*"?(\d+)(?:\.(\d+))?/;

const pieces = (path: string): AsyncIterable<Buffer> => {
  const file = createReadStream(path, { fd: openRegular(path), highWaterMark: 1 << 20 });
  return path.endsWith('.gz') ? file.pipe(createGunzip()) : file;
};

/** Reads how a trace counts time. It goes through the file once and keeps its two ends. */
export async function openProfilerTrace(path: string): Promise<ProfilerTrace> {
  let head = '';
  let tail = '';
  await reading(path, async () => {
    for await (const piece of pieces(path)) {
      const chunk = piece.toString('latin1');
      if (head.length < EDGE) head += chunk.slice(0, EDGE - head.length);
      tail = (tail + chunk.slice(-EDGE)).slice(-EDGE);
    }
  });
  const baseNs = BigInt((BASE.exec(head) ?? BASE.exec(tail))?.[1] ?? 0);
  const [, whole, decimals = ''] = FIRST.exec(head.slice(Math.max(0, head.indexOf('traceEvents')))) ?? [];
  const firstNs = whole === undefined ? undefined : BigInt(whole) * 1000n + BigInt(decimals.padEnd(3, '0').slice(0, 3));
  return { path, baseNs, firstNs: firstNs && baseNs + firstNs };
}

/** The trace as it is, with `events` put before its own. Nothing of either is held in memory. */
export async function* mergedTrace(
  trace: ProfilerTrace,
  events: () => AsyncIterable<string>,
): AsyncGenerator<Buffer | string, void, undefined> {
  const finder = new EventsFinder();
  let isDone = false;
  for await (const piece of pieces(trace.path)) {
    if (isDone) {
      yield piece;
      continue;
    }
    const at = finder.find(piece);
    if (at === undefined) {
      yield piece;
      continue;
    }
    isDone = true;
    yield piece.subarray(0, at);
    let isFirst = true;
    for await (const event of events()) {
      yield isFirst ? `\n${event}` : `,\n${event}`;
      isFirst = false;
    }
    const rest = piece.subarray(at);
    if (!isFirst && !/^\s*\]/.test(rest.toString('latin1', 0, 4096))) yield ',';
    yield rest;
  }
  if (!isDone) throw unreadable(trace.path, 'it has no list of traceEvents');
}

/** Where a list of events begins: behind `"traceEvents": [` of the outermost object, or behind the first bracket of all. */
class EventsFinder {
  #depth = 0;
  #isString = false;
  #isEscaped = false;
  #key = '';
  #last = '';

  find(piece: Buffer): number | undefined {
    for (let at = 0; at < piece.length; at++) {
      const char = String.fromCharCode(piece[at] ?? 0);
      if (this.#isString) {
        if (this.#isEscaped) this.#isEscaped = false;
        else if (char === '\\') this.#isEscaped = true;
        else if (char === '"') {
          this.#isString = false;
          this.#last = this.#key;
        } else if (this.#depth === 1) this.#key = this.#key.length < 64 ? this.#key + char : this.#key;
        continue;
      }
      if (char === '"') {
        this.#isString = true;
        this.#key = '';
      } else if (char === '[' && (this.#depth === 0 || (this.#depth === 1 && this.#last === 'traceEvents'))) {
        return at + 1;
      } else if (char === '{' || char === '[') this.#depth++;
      else if (char === '}' || char === ']') this.#depth--;
      else if (char === ',') this.#last = '';
    }
    return undefined;
  }
}

async function reading(path: string, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error;
    throw unreadable(path, error.message);
  }
}

const unreadable = (path: string, why: string): VenturiError =>
  new VenturiError('VENTURI_SAMPLES_UNREADABLE', `${path} cannot be merged: ${why}.`, {
    remedy: 'Give a trace that torch.profiler exported: prof.export_chrome_trace("trace.json").',
  });
