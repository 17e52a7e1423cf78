import type { JitCode } from './jitdump.ts';

/** A place in code that V8 made. */
export interface JitPlace {
  readonly name: string;
  readonly file: string;
  /** Where the function begins, counted from 1; 0: that is not known. */
  readonly firstLine: number;
  readonly firstColumn: number;
  /** From 1; 0: none is known. */
  readonly line: number;
}

const PAGE = 4096;
/**
 * `JS:*name file:line:column`. The sign tells the tier; newer V8 puts `o` before it for code that was entered in the midst of a loop, and `'` behind it for that of one closure alone.
 * Code that is no function's has no place.
 */
const FUNCTION = /^(?:JS|Script|Function|LazyCompile|Eval):(?:o?[~^*+]'?)?(.*?) ?([^ ]*):(\d+):(\d+)$/s;

/** Where addresses lie in code that comes and goes. */
export class JitTable {
  /** Code by page, in the order in which it came. */
  readonly #pages = new Map<number, JitCode[]>();

  constructor(codes: readonly JitCode[]) {
    for (const code of codes.toSorted((a, b) => a.since - b.since)) {
      const last = Math.floor((code.start + Math.max(0, code.size - 1)) / PAGE);
      if (!Number.isSafeInteger(last)) continue;
      for (let page = Math.floor(code.start / PAGE); page <= last; page++) {
        const known = this.#pages.get(page) ?? [];
        known.push(code);
        this.#pages.set(page, known);
      }
    }
  }

  /** The code at an address at a moment, or undefined where there was none. */
  placeOf(address: number, time: number): JitPlace | undefined {
    const code = this.#pages
      .get(Math.floor(address / PAGE))
      ?.findLast(({ start, size, since }) => since <= time && start <= address && address < start + size);
    if (code === undefined) return undefined;
    const [, name, file = '', line, column] = FUNCTION.exec(code.name) ?? [];
    return {
      name: name ?? code.name,
      file,
      firstLine: Number(line ?? 0),
      firstColumn: Number(column ?? 0),
      line: lineAt(code, address),
    };
  }
}

/** The line of the last address that is not behind this one. */
function lineAt({ addresses, lines }: JitCode, address: number): number {
  let [low, high] = [0, addresses.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((addresses[middle] ?? 0) <= address) low = middle + 1;
    else high = middle;
  }
  return lines[low - 1] ?? 0;
}
