import { stuckThreads } from '../engine/runtime/threads/stuck-threads.ts';
import { EXIT } from './exit-codes.ts';

const SIGNAL_OF: Readonly<Record<number, 'SIGINT' | 'SIGTERM'>> = {
  [EXIT.interrupted]: 'SIGINT',
  [EXIT.terminated]: 'SIGTERM',
};

/** Ends the process in the normal way, unless a thread is stuck. */
export function leave(code: number): void {
  if (stuckThreads() === 0) process.exit(code);
  leaveAtOnce(code);
}

/**
 * Ends the process by a signal: `process.exit()` would wait for a thread that is stuck in a system call. SIGINT and SIGTERM give the
 * shell the same exit code; any other code becomes SIGKILL's.
 */
export function leaveAtOnce(code: number): void {
  process.emit('exit', code);
  const signal = SIGNAL_OF[code] ?? 'SIGKILL';
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
  // PID 1 of a container survives signals that it does not handle.
  process.exit(code);
}
