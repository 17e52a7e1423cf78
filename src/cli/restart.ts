import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { statusOfSignal } from '../model/exit-status.ts';

/**
 * Tunable that switches off glibc's fast bins. malloc keeps freed small chunks in them, and coalesces all of them at every large
 * allocation. V8 frees several with every typed array, so pipelines of many arrays spend much time on that: without fast bins packed
 * text was 1.4 times as fast and a table 1.3 times (docs/performance.md). Tunables are read only when a process starts.
 */
const SETTING = 'glibc.malloc.mxfast';
const SETTINGS = 'GLIBC_TUNABLES';
/** Environment variable that marks a restarted process. */
const MARK = 'VENTURI_RESTARTED';

/** Verbs that run pipelines in this process. */
const RUNNING = new Set(['run', 'batches', 'tune', 'demo']);

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
type Passed = (typeof SIGNALS)[number];

type Environment = Readonly<Record<string, string | undefined>>;

/** Whether the verb gains from a process with the tunable. A value that the user has set is kept. */
export function wantsRestart(
  [verb = '', ...rest]: readonly string[],
  env: Environment,
  execArgv: readonly string[] = [],
): boolean {
  // Arguments behind two dashes are another program's, which gets a process of its own anyway.
  if (!RUNNING.has(verb) || rest.includes('--') || rest.includes('--help')) return false;
  // A debugger is attached to this process.
  if ([...execArgv, env.NODE_OPTIONS ?? ''].some(each => each.includes('--inspect'))) return false;
  return env[MARK] === undefined && env[SETTINGS]?.includes(SETTING) !== true && hasGnuLibrary();
}

function hasGnuLibrary(): boolean {
  if (process.platform !== 'linux') return false;
  const { header } = process.report.getReport() as unknown as { readonly header: { glibcVersionRuntime?: string } };
  return header.glibcVersionRuntime !== undefined;
}

/** Time, ms, after which a process that has not acknowledged a signal counts as stuck. */
const DEAF_MS = 10_000;
/** The same after a second signal, which asks it to leave at once. */
const LEAVING_MS = 2_000;

/** Longest time, ms, between a signal to a process and the same one to its group (`timeout` sends both). */
const BOTH_MS = 50;

/** Message to the child: how often this process received a signal. */
interface Told {
  readonly signal: Passed;
  readonly times: number;
}

/** Runs the same command in a new process with the tunable, and exits as that does. `otherwise`: called where none can be started. */
export function restart(otherwise: () => void): void {
  const own = process.env[SETTINGS];
  const child = spawn(process.execPath, [...process.execArgv, ...process.argv.slice(1)], {
    // The channel carries signals; when it closes, this process is gone.
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    env: { ...process.env, [SETTINGS]: [...(own ? [own] : []), `${SETTING}=0`].join(':'), [MARK]: '1' },
  });
  let killedBy: Passed | undefined;
  const killAfter = (ms: number, signal: Passed): NodeJS.Timeout =>
    setTimeout(() => {
      killedBy = signal;
      process.stderr.write('the process did not respond and was killed: a function of the pipeline does not return\n');
      child.kill('SIGKILL');
    }, ms);
  for (const signal of SIGNALS) {
    let times = 0;
    let last = Number.NEGATIVE_INFINITY;
    process.on(signal, () => {
      const now = performance.now();
      const isRepeated = now - last < BOTH_MS;
      last = now;
      if (isRepeated) return;
      const told: Told = { signal, times: ++times };
      if (child.connected) child.send(told);
      if (times === 2) killAfter(LEAVING_MS, signal);
      if (times > 1) return;
      const deaf = killAfter(DEAF_MS, signal);
      child.once('message', () => clearTimeout(deaf));
    });
  }
  const unlisten = (): void => {
    for (const signal of SIGNALS) process.removeAllListeners(signal);
  };
  child.once('exit', (code, signal) => {
    unlisten();
    if (signal === null) process.exit(code ?? 1);
    const cause = killedBy ?? signal;
    process.kill(process.pid, cause);
    // PID 1 of a container survives signals that it does not handle.
    process.exit(statusOfSignal(constants.signals[cause]));
  });
  child.once('error', () => {
    if (child.pid !== undefined) return;
    unlisten();
    otherwise();
  });
}

/** Time, ms, for a clean stop after the parent is gone, before the second SIGTERM. */
const GRACE_MS = 5000;

/** In the restarted process: takes signals over the channel of the parent, and stops when the parent is gone. */
export function heedParent(): void {
  if (process.env[MARK] === undefined || !process.connected) return;
  delete process.env[MARK];
  const received = new Map<Passed, number>();
  for (const signal of SIGNALS) {
    process.on(signal, () => {
      received.set(signal, (received.get(signal) ?? 0) + 1);
      // No other listener: the signal's default action.
      if (process.listenerCount(signal) === 1) {
        process.removeAllListeners(signal);
        process.kill(process.pid, signal);
      }
    });
  }
  // A terminal signals the whole process group: only signals that this process did not receive itself are raised here.
  process.on('message', ({ signal, times }: Told) => {
    process.send?.('heard');
    setTimeout(() => {
      if (times > (received.get(signal) ?? 0)) process.kill(process.pid, signal);
    }, BOTH_MS);
  });
  process.once('disconnect', () => {
    const stop = (): boolean => process.kill(process.pid, 'SIGTERM');
    stop();
    setTimeout(stop, GRACE_MS).unref();
  });
  process.channel?.unref();
}
