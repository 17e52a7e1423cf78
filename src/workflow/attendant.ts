import type { Warning } from '../model/warnings.ts';
import type { Tone } from '../report/tree.ts';
import type { LiveProgress } from './progress.ts';

export type StopSignal = 'SIGINT' | 'SIGTERM';

/** Whoever waits for work that takes long: is told how it goes, may be asked, and can interrupt it. */
export interface Attendant {
  /** A line beside the result. */
  say(line: string, tone?: Tone): void;
  warn(warning: Warning): void;
  update(progress: LiveProgress): void;
  /** What a program does now, shown beside what it prints itself; undefined when it has ended. */
  status(line: string | undefined): void;
  /** A program is recorded into this folder from now on. */
  recording?(folder: string): void;
  /** Undefined where nobody can answer. */
  readonly ask: ((question: string) => Promise<string>) | undefined;
  /** Aborted by Ctrl-C or SIGTERM, unless `onSignal` takes them. */
  readonly signal: AbortSignal;
  /** From now on signals are handled by the work itself. */
  onSignal(handle: (signal: StopSignal) => void): void;
  /** Ctrl-C reaches programs that are started here without us: a terminal sends it to all that run in its foreground. */
  readonly isTerminal: boolean;
}

/** Whoever waits for a forecast: is told how it goes, and can interrupt it. */
export type Waiting = Pick<Attendant, 'status' | 'signal'>;
