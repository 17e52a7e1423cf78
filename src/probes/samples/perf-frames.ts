import type { Frame, PerfEntry } from '../../model/profile.ts';
import type { JitTable } from './jit-table.ts';
import type { PerfStack } from './perf-stacks.ts';
import { withoutModifier } from './sample.ts';

/** V8's own names for what is no function, as its profiler gives them. */
const COLLECTION = '(garbage collector)';
const COMPILATION = '(compiler)';
const NATIVE = '(program)';

/** C++ names of V8 under which it collects or compiles, whatever function is innermost. */
const COLLECTING =
  /\bv8::internal::(?:Heap::\w*(?:Collect|Scavenge)|Scavenger|MarkCompact|MinorMarkSweep|MinorGC|Sweeper|IncrementalMarking|ConcurrentMarking)/;
const COMPILING =
  /\bv8::internal::(?:Compiler::|OptimizedCompilationJob|OptimizingCompileDispatcher|compiler::|baseline::|maglev::|interpreter::Interpreter|parsing::|Parser|Scanner)/;

/** Samples between two pieces of the file. */
const PIECE = 1000;

interface Thread {
  readonly numbers: Map<string, number>;
  readonly symbols: Map<string, number>;
  frames: Frame[];
  natives: [string, string][];
  samples: Extract<PerfEntry, { readonly tid: number }>['samples'];
}

/**
 * Leads perf's addresses back to functions and lines of compiled code: V8's profiler gives the same of its samples. A native function belongs to the line of
 * compiled code that called it.
 */
export class PerfFrames {
  readonly #table: JitTable;
  readonly #events: readonly string[];
  readonly #nameOf: (url: string, line: number) => string;
  readonly #threads = new Map<number, Thread>();

  /** `nameOf` names the file of a function that begins at a line, from 0. */
  constructor(table: JitTable, events: readonly string[], nameOf: (url: string, line: number) => string) {
    this.#table = table;
    this.#events = events.map(withoutModifier);
    this.#nameOf = nameOf;
  }

  /** Takes a sample; gives a piece for the file when there is enough for one. */
  add(stack: PerfStack): PerfEntry | undefined {
    const { tid, time, weight, address, frames } = stack;
    const thread = this.#threads.get(tid) ?? {
      ...{ numbers: new Map<string, number>(), symbols: new Map<string, number>() },
      ...{ frames: [], natives: [], samples: [] },
    };
    this.#threads.set(tid, thread);
    // A caller's address is that behind its call.
    const places = frames.map((frame, at) => this.#table.placeOf(frame.address - (at === 0 ? 0 : 1), time));
    const compiled = places.flatMap(place => place ?? []);
    const leaf = frames[0];
    const native = leaf === undefined || places[0] !== undefined ? -1 : symbolOf(thread, leaf.symbol, leaf.module);
    const inner = places.findIndex(place => place !== undefined);
    const called = frames.slice(0, inner < 0 ? frames.length : inner).map(({ symbol }) => symbol);
    const special = called.some(symbol => COLLECTING.test(symbol))
      ? COLLECTION
      : called.some(symbol => COMPILING.test(symbol))
        ? COMPILATION
        : inner < 0
          ? NATIVE
          : undefined;
    const node =
      special === undefined
        ? compiled.reduceRight((parent, { name, file, firstLine, firstColumn }) => {
            const [line, column] = [Math.max(0, firstLine - 1), Math.max(0, firstColumn - 1)];
            return frameOf(thread, [parent, name, this.#nameOf(file, line), line, column]);
          }, 0)
        : frameOf(thread, [0, special, '', 0, 0]);
    const event = Math.max(0, this.#events.indexOf(withoutModifier(stack.event)));
    thread.samples.push([
      time,
      node,
      special === undefined ? (compiled[0]?.line ?? 0) : 0,
      native,
      event,
      weight,
      address,
    ]);
    return thread.samples.length < PIECE ? undefined : piece(tid, thread);
  }

  /** What has not been given yet. */
  rest(): PerfEntry[] {
    return [...this.#threads].flatMap(([tid, thread]) => (thread.samples.length === 0 ? [] : [piece(tid, thread)]));
  }
}

function piece(tid: number, thread: Thread): PerfEntry {
  const { frames, natives, samples } = thread;
  [thread.frames, thread.natives, thread.samples] = [[], [], []];
  return { tid, frames, natives, samples };
}

function symbolOf({ symbols, natives }: Thread, symbol: string, module: string): number {
  const key = `${symbol}\n${module}`;
  const known = symbols.get(key);
  if (known !== undefined) return known;
  symbols.set(key, symbols.size);
  natives.push([symbol, module]);
  return symbols.size - 1;
}

type Unnumbered = Frame extends [number, ...infer Rest] ? Rest : never;

function frameOf({ numbers, frames }: Thread, frame: Unnumbered): number {
  const key = JSON.stringify(frame);
  const known = numbers.get(key);
  if (known !== undefined) return known;
  const number = numbers.size + 1;
  numbers.set(key, number);
  frames.push([number, ...frame]);
  return number;
}
