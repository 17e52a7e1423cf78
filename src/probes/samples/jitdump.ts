/** Code that a just-in-time compiler made: where it lay, from when on, and the source lines of its addresses. */
export interface JitCode {
  readonly name: string;
  readonly start: number;
  readonly size: number;
  /** ns on the clock of the dump: CLOCK_MONOTONIC for V8's. */
  readonly since: number;
  /** Ascending; the line of each holds up to the next. */
  readonly addresses: readonly number[];
  readonly lines: readonly number[];
}

export interface JitDump {
  readonly codes: readonly JitCode[];
  /** Bytes behind the last record that is whole: of a program that was cut off while it wrote one, or of a damaged file. */
  readonly unread: number;
}

/** `JiTD`, as a machine that writes the lowest byte first has it. */
const MAGIC = 0x4a695444;
const HEADER_BYTES = 40;
const RECORD_BYTES = 16;
/** Numbers of records (tools/perf/Documentation/jitdump-specification.txt). */
const LOAD = 0;
const MOVE = 1;
const DEBUG_INFO = 2;
const LOAD_BYTES = 40;
const MOVE_BYTES = 48;
const DEBUG_BYTES = 16;
const ENTRY_BYTES = 16;
/**
 * V8 writes addresses of lines as they are behind the header of an ELF file, into which `perf inject` puts the code; the code's own
 * address has it not.
 */
const ELF_HEADER_BYTES = 64;
/** A file that says `as before` instead of a name. */
const SAME_NAME = 0xff;

/** Reads what V8's `--perf-prof` wrote. Undefined for a file that is none, or of a machine of other byte order. Whatever is damaged is left out. */
export function readJitDump(bytes: Uint8Array): JitDump | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.length < HEADER_BYTES || view.getUint32(0, true) !== MAGIC) return undefined;
  const codes: JitCode[] = [];
  const debug = new Map<number, Pick<JitCode, 'addresses' | 'lines'>>();
  let at = view.getUint32(8, true);
  if (at < HEADER_BYTES) return { codes, unread: bytes.length - HEADER_BYTES };
  while (at + RECORD_BYTES <= bytes.length) {
    const size = view.getUint32(at + 4, true);
    if (size < RECORD_BYTES || at + size > bytes.length) break;
    const since = wholeAt(view, at + 8);
    const [from, end] = [at + RECORD_BYTES, at + size];
    const kind = view.getUint32(at, true);
    if (kind === LOAD) {
      const code = loadOf(bytes, view, from, end, since, debug);
      if (code !== undefined) codes.push(code);
    } else if (kind === MOVE) {
      const moved = moveOf(view, from, end, since, codes);
      if (moved !== undefined) codes.push(moved);
    } else if (kind === DEBUG_INFO) debugOf(bytes, view, from, end, debug);
    at = end;
  }
  return { codes, unread: Math.max(0, bytes.length - at) };
}

/** Addresses and times lie far below 2^53; what does not is damaged, and no address of anything. */
const wholeAt = (view: DataView, at: number): number => Number(view.getBigUint64(at, true));

/** The end of the text that begins at `from`: its zero byte. */
function endOfText(bytes: Uint8Array, from: number, end: number): number | undefined {
  const zero = bytes.subarray(from, end).indexOf(0);
  return zero < 0 ? undefined : from + zero;
}

const TEXT = new TextDecoder();

function loadOf(
  bytes: Uint8Array,
  view: DataView,
  from: number,
  end: number,
  since: number,
  debug: Map<number, Pick<JitCode, 'addresses' | 'lines'>>,
): JitCode | undefined {
  if (from + LOAD_BYTES > end) return undefined;
  const [start, size] = [wholeAt(view, from + 16), wholeAt(view, from + 24)];
  const named = endOfText(bytes, from + LOAD_BYTES, end);
  // The code itself follows its name: a record cannot tell of more than it has.
  if (named === undefined || size > end - named - 1) return undefined;
  const { addresses, lines } = debug.get(start) ?? { addresses: [], lines: [] };
  debug.delete(start);
  return { name: TEXT.decode(bytes.subarray(from + LOAD_BYTES, named)), start, size, since, addresses, lines };
}

function moveOf(
  view: DataView,
  from: number,
  end: number,
  since: number,
  codes: readonly JitCode[],
): JitCode | undefined {
  if (from + MOVE_BYTES > end) return undefined;
  const [old, start] = [wholeAt(view, from + 16), wholeAt(view, from + 24)];
  const code = codes.findLast(each => each.start === old);
  if (code === undefined) return undefined;
  return { ...code, start, since, addresses: code.addresses.map(address => address - old + start) };
}

/** It stands before the record of its code. */
function debugOf(
  bytes: Uint8Array,
  view: DataView,
  from: number,
  end: number,
  debug: Map<number, Pick<JitCode, 'addresses' | 'lines'>>,
): void {
  if (from + DEBUG_BYTES > end) return;
  const [start, count] = [wholeAt(view, from), wholeAt(view, from + 8)];
  const entries: { readonly address: number; readonly line: number }[] = [];
  let at = from + DEBUG_BYTES;
  for (let entry = 0; entry < count && at + ENTRY_BYTES < end; entry++) {
    entries.push({ address: wholeAt(view, at) - ELF_HEADER_BYTES, line: view.getUint32(at + 8, true) });
    const name = at + ENTRY_BYTES;
    const named = bytes[name] === SAME_NAME && bytes[name + 1] === 0 ? name + 1 : endOfText(bytes, name, end);
    if (named === undefined) break;
    at = named + 1;
  }
  entries.sort((a, b) => a.address - b.address);
  debug.set(start, { addresses: entries.map(({ address }) => address), lines: entries.map(({ line }) => line) });
}
