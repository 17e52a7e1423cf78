import { spawn } from 'node:child_process';
import { constants } from 'node:os';

/**
 * The allocator of the GNU library keeps small pieces that were freed aside, and puts them all together again whenever a large one is
 * wanted. V8 frees several of them with every typed array, so a pipeline of many arrays spends a good part of its time on that: without,
 * packed text was 1.4 times as fast and a table 1.3 times (docs/performance.md). The setting is read once, when a process begins.
 */
const SETTING = 'glibc.malloc.mxfast';
const SETTINGS = 'GLIBC_TUNABLES';
/** Tells a process that it was started by this program, for the sake of the setting. */
const MARK = 'VENTURI_RESTARTED';

/** Verbs that run pipelines in this process. */
const RUNNING = new Set(['run', 'tune', 'demo']);

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
type Passed = (typeof SIGNALS)[number];

type Environment = Readonly<Record<string, string | undefined>>;

/** Whether what was asked for would go faster in a process that begins with the setting. Whoever has set it himself, to whatever, keeps it. */
export function wantsRestart(
  [verb = '', ...rest]: readonly string[],
  env: Environment,
  execArgv: readonly string[] = [],
): boolean {
  // What stands behind two dashes is another program, which is started anyway.
  if (!RUNNING.has(verb) || rest.includes('--') || rest.includes('--help')) return false;
  // A debugger looks for its program in this process.
  if ([...execArgv, env.NODE_OPTIONS ?? ''].some(each => each.includes('--inspect'))) return false;
  return env[MARK] === undefined && env[SETTINGS]?.includes(SETTING) !== true && hasGnuLibrary();
}

function hasGnuLibrary(): boolean {
  if (process.platform !== 'linux') return false;
  const { header } = process.report.getReport() as unknown as { readonly header: { glibcVersionRuntime?: string } };
  return header.glibcVersionRuntime !== undefined;
}

/** A process that has not heard of a signal after so long is not going to: its first thread is stuck. */
const DEAF_MS = 10_000;
/** One that was asked twice leaves at once. */
const LEAVING_MS = 2_000;

/** What is sent to a process and to its group, as by `timeout`, comes within so long. */
const BOTH_MS = 50;

/** How often this process got a signal so far. */
interface Told {
  readonly signal: Passed;
  readonly times: number;
}

/** Does the same in a new process with the setting, and ends as that does. `otherwise`: where there can be no other process. */
export function restart(otherwise: () => void): void {
  const own = process.env[SETTINGS];
  const child = spawn(process.execPath, [...process.execArgv, ...process.argv.slice(1)], {
    // The last one tells of signals, and by its end that this process is gone.
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    env: { ...process.env, [SETTINGS]: [...(own ? [own] : []), `${SETTING}=0`].join(':'), [MARK]: '1' },
  });
  let killedBy: Passed | undefined;
  const killAfter = (ms: number, signal: Passed): NodeJS.Timeout =>
    setTimeout(() => {
      killedBy = signal;
      process.stderr.write('it did not answer, and was ended: a function of the pipeline does not return\n');
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
    // The first process of a container does not die of it.
    process.exit(128 + constants.signals[cause]);
  });
  child.once('error', () => {
    if (child.pid !== undefined) return;
    unlisten();
    otherwise();
  });
}

/** For stopping in good order, when there is nobody left who could ask for it twice. */
const GRACE_MS = 5000;

/** Of a process that was started so: heeds the signals of the one that started it, and ends when that is gone. */
export function heedParent(): void {
  if (process.env[MARK] === undefined || !process.connected) return;
  delete process.env[MARK];
  const received = new Map<Passed, number>();
  for (const signal of SIGNALS) {
    process.on(signal, () => {
      received.set(signal, (received.get(signal) ?? 0) + 1);
      // Nobody else listens: what would happen without us.
      if (process.listenerCount(signal) === 1) {
        process.removeAllListeners(signal);
        process.kill(process.pid, signal);
      }
    });
  }
  // A terminal, or whoever stops a whole group, has told this process itself: only what it has not heard of is passed on.
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
