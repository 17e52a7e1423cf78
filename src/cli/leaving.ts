import { stuckThreads } from '../engine/runtime/threads/stuck-threads.ts';
import { EXIT } from './exit-codes.ts';

const SIGNAL_OF: Readonly<Record<number, 'SIGINT' | 'SIGTERM'>> = {
  [EXIT.interrupted]: 'SIGINT',
  [EXIT.terminated]: 'SIGTERM',
};

/** Ends the process, when all is done. */
export function leave(code: number): void {
  if (stuckThreads() === 0) process.exit(code);
  leaveAtOnce(code);
}

/**
 * Ends the process, whatever its threads do: `process.exit()` would wait for one that is stuck in the system. The signal that
 * asks for it does not, and a shell sees the same code; one that could not be ended otherwise dies by SIGKILL.
 */
export function leaveAtOnce(code: number): void {
  process.emit('exit', code);
  const signal = SIGNAL_OF[code] ?? 'SIGKILL';
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
  // The first process of a container does not die of it.
  process.exit(code);
}
