import { spawn } from 'node:child_process';

/**
 * The allocator of the GNU library keeps small pieces that were freed aside, and puts them all together again whenever a large one is
 * wanted. V8 frees several of them with every typed array, so a pipeline of many arrays spends a good part of its time on that: without,
 * packed text was 1.4 times as fast and a table 1.3 times (docs/performance.md). The setting is read once, when a process begins.
 */
const SETTING = 'glibc.malloc.mxfast';
const SETTINGS = 'GLIBC_TUNABLES';

/** Verbs that run pipelines in this process. */
const RUNNING = new Set(['run', 'tune', 'demo']);

type Environment = Readonly<Record<string, string | undefined>>;

/** Whether what was asked for would go faster in a process that begins with the setting. Whoever has set it himself, to whatever, keeps it. */
export function wantsRestart([verb = '', ...rest]: readonly string[], env: Environment): boolean {
  // What stands behind two dashes is another program, which is started anyway.
  if (!RUNNING.has(verb) || rest.includes('--') || rest.includes('--help')) return false;
  return env[SETTINGS]?.includes(SETTING) !== true && hasGnuLibrary();
}

function hasGnuLibrary(): boolean {
  if (process.platform !== 'linux') return false;
  const { header } = process.report.getReport() as unknown as { readonly header: { glibcVersionRuntime?: string } };
  return header.glibcVersionRuntime !== undefined;
}

/** Does the same in a new process with the setting, and ends as that does. */
export function restart(): void {
  const [program = '', ...args] = process.argv.slice(1);
  const own = process.env[SETTINGS];
  const child = spawn(process.execPath, [...process.execArgv, program, ...args], {
    // The last one is how the new process learns that this one is gone.
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    env: { ...process.env, [SETTINGS]: [...(own ? [own] : []), `${SETTING}=0`].join(':') },
  });
  // A terminal sends Ctrl-C to both; what comes otherwise is passed on.
  const isInTerminal = [process.stdin, process.stdout, process.stderr].some(({ isTTY }) => isTTY);
  process.on('SIGINT', () => {
    if (!isInTerminal) child.kill('SIGINT');
  });
  for (const signal of ['SIGTERM', 'SIGHUP'] as const) process.on(signal, () => child.kill(signal));
  child.once('exit', (code, signal) => {
    for (const each of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.removeAllListeners(each);
    if (signal === null) process.exit(code ?? 1);
    process.kill(process.pid, signal);
  });
  child.once('error', error => {
    throw error;
  });
}

/** For stopping in good order, when there is nobody left who could ask for it twice. */
const GRACE_MS = 5000;

/** Ends this process when the one is gone that started it with other settings: nobody could stop it any more. */
export function endWithParent(): void {
  process.once('disconnect', () => {
    const stop = (): boolean => process.kill(process.pid, 'SIGTERM');
    stop();
    setTimeout(stop, GRACE_MS).unref();
  });
  process.channel?.unref();
}
