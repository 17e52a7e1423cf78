import type { Metric } from '../../model/metric.ts';
import { Growth } from './growth.ts';
import { readText, type TextReader } from './text-reader.ts';

type ProcessMetric = Extract<
  Metric,
  'processCpu' | 'residentMemory' | 'storageAsked' | 'storageRead' | 'storageWritten'
>;
/** Totals count from the first sample. Undefined: this system does not say. */
export type ProcessSample = Readonly<Record<ProcessMetric, number | undefined>>;

export interface IoCounts {
  readonly asked: number;
  readonly fetched: number;
  readonly written: number;
}

/** The text of `/proc/…/io`. */
export function parseIo(text: string): IoCounts | undefined {
  const count = (line: RegExp): number => Number(line.exec(text)?.[1] ?? Number.NaN);
  const io = {
    asked: count(/^rchar: (\d+)$/m),
    fetched: count(/^read_bytes: (\d+)$/m),
    written: count(/^write_bytes: (\d+)$/m),
  };
  return Number.isNaN(io.asked + io.fetched + io.written) ? undefined : io;
}

/** What the runtime's own calls say about the process, in ns and bytes. */
function thisProcess() {
  const { user, system } = process.cpuUsage();
  return { cpu: (user + system) * 1000, resident: process.memoryUsage.rss() };
}

/** All threads of this process together. */
export class ProcessSampler {
  readonly #read: TextReader;
  readonly #figures: typeof thisProcess;
  readonly #cpu = new Growth();
  readonly #asked = new Growth();
  readonly #fetched = new Growth();
  readonly #written = new Growth();
  /** Bytes of this sampler's own readings so far. */
  #own = 0;

  constructor(read: TextReader = readText, figures: typeof thisProcess = thisProcess) {
    this.#read = read;
    this.#figures = figures;
  }

  sample(): ProcessSample {
    const { cpu, resident } = this.#figures();
    const text = this.#read('/proc/self/io') ?? '';
    const io = parseIo(text);
    const asked = io === undefined ? undefined : io.asked - this.#own;
    this.#own += text.length;
    return {
      processCpu: this.#cpu.of(cpu),
      residentMemory: resident,
      storageAsked: this.#asked.of(asked),
      storageRead: this.#fetched.of(io?.fetched),
      storageWritten: this.#written.of(io?.written),
    };
  }
}
