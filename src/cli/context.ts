import { isInterruption } from '../model/errors.ts';
import { printFailure } from './failure.ts';
import { Interruption, type SignalSource } from './interruption.ts';
import { ProgressLine } from './progress-line.ts';
import type { Terminal } from './terminal.ts';

/** The outside world, handed to the verbs. */
export interface Context {
  readonly terminal: Terminal;
  readonly signals: SignalSource;
  /** Milliseconds on a clock that only goes forward. */
  now(): number;
  /** Ends the process at once. */
  leave(code: number): void;
  /** Asks a question at the terminal; undefined without one. Rejects when `signal` aborts first. */
  readonly ask: ((question: string, signal: AbortSignal) => Promise<string>) | undefined;
  /** Registers `tidy` for any end of the process; the returned function unregisters it. */
  atExit(tidy: () => void): () => void;
}

/** Tools of work that shows its progress and can be interrupted. */
export interface LongWork {
  readonly progress: ProgressLine;
  readonly interruption: Interruption;
}

/**
 * Runs `work`, which returns its exit code, with a progress line and an answer to Ctrl-C, and puts both away however it
 * ends. Work that ends by a signal exits with that signal's code.
 */
export async function withLongWork(
  context: Context,
  asJson: boolean,
  work: (tools: LongWork) => Promise<number>,
): Promise<number> {
  const { terminal, signals } = context;
  const progress = new ProgressLine(terminal.err, terminal.charset, () => context.now());
  const interruption = new Interruption(
    signals,
    code => context.leave(code),
    line => progress.say(line),
  );
  const forget = context.atExit(() => progress.close());
  try {
    return await work({ progress, interruption });
  } catch (error) {
    if (!isInterruption(error) || interruption.exitCode === undefined) throw error;
    progress.close();
    printFailure(error, terminal, asJson);
    return interruption.exitCode;
  } finally {
    progress.close();
    interruption.close();
    forget();
  }
}
