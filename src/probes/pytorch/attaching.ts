import { execFile } from 'node:child_process';
import { existsSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { VenturiError } from '../../model/errors.ts';
import { readText } from '../host/text-reader.ts';
import { descendants, isPython, startedPython } from './started-pythons.ts';

/** A Python that runs, and can be entered while it does. */
export interface RunningPython {
  readonly pid: number;
  readonly command: readonly string[];
  /** The interpreter, which is the only one that can talk to it for sure. */
  readonly executable: string;
}

const OTHERWISE =
  'Start it again under venturi record -- COMMAND, or call it in the program, before its first loop: import venturi_probe; venturi_probe.record("first")';
const refusal = (message: string, remedy: string, cause?: unknown): VenturiError =>
  new VenturiError('VENTURI_ATTACH_REFUSED', message, { remedy, ...(cause === undefined ? {} : { cause }) });

const run = promisify(execFile);
/** A Python starts within this, on a machine that others use too. */
const PATIENCE_MS = 60_000;

/** Looks whether a process can be entered; a `VenturiError` says why not. */
export async function findRunningPython(pid: number): Promise<RunningPython> {
  if (process.platform !== 'linux') {
    throw refusal('A running process can be entered on Linux alone.', OTHERWISE);
  }
  const executable = executableOf(pid);
  if (!isPython(executable)) throw notPython(pid, executable);
  if (!existsSync(executable)) {
    throw refusal(
      `Process ${pid} runs ${executable}, which is not there: it is in a container, or was replaced.`,
      'Attach to it from inside its container, or start it again under venturi record.',
    );
  }
  const version = await versionOf(executable);
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major < 3 || (major === 3 && minor < 14)) {
    throw refusal(
      `Process ${pid} runs Python ${version}; from 3.14 on a Python can be entered while it runs.`,
      OTHERWISE,
    );
  }
  const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replace(/\0$/, '').split('\0');
  return { pid, command, executable };
}

function executableOf(pid: number): string {
  try {
    return readlinkSync(`/proc/${pid}/exe`).replace(/ \(deleted\)$/, '');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EACCES') {
      throw refusal(
        `Process ${pid} belongs to another user.`,
        `Attach as that user: sudo venturi record --attach ${pid}`,
        error,
      );
    }
    throw new VenturiError('VENTURI_PROGRAM_NOT_FOUND', `There is no process ${pid}.`, {
      remedy: 'ps -ef | grep python names those that run.',
      cause: error,
    });
  }
}

function notPython(pid: number, executable: string): VenturiError {
  const pythons = descendants(pid).flatMap(child => startedPython(child, '') ?? []);
  return refusal(
    `Process ${pid} is no Python but ${basename(executable)}.`,
    pythons.length === 0
      ? 'Give the process of the Python itself: ps -ef | grep python'
      : `It started ${pythons.map(python => `${python.pid} (${python.command.slice(0, 3).join(' ')})`).join(', ')}: attach to that.`,
  );
}

async function versionOf(executable: string): Promise<string> {
  const code = 'import sys; print("%d.%d.%d" % sys.version_info[:3])';
  try {
    return (await run(executable, ['-I', '-c', code], { timeout: PATIENCE_MS })).stdout.trim();
  } catch (error) {
    throw refusal(
      `${executable} cannot be asked for its version.`,
      'Try it by itself: -c "import sys; print(sys.version)"',
      error,
    );
  }
}

/** Has a running Python carry out a script, at the next moment at which its main thread is between two instructions. */
async function execute({ pid, executable }: RunningPython, script: string): Promise<void> {
  const code = 'import sys; sys.remote_exec(int(sys.argv[1]), sys.argv[2])';
  try {
    await run(executable, ['-I', '-c', code, String(pid), script], { timeout: PATIENCE_MS });
  } catch (error) {
    const said =
      String((error as { stderr?: unknown }).stderr ?? '')
        .trim()
        .split('\n')
        .at(-1) ?? '';
    if (/PermissionError|Operation not permitted|Permission denied/.test(said)) {
      throw refusal(
        `The system lets nobody into process ${pid}${ptraceScope()}: ${said}.`,
        `sudo venturi record --attach ${pid}, or for a while: sudo sysctl kernel.yama.ptrace_scope=0; a container needs the capability SYS_PTRACE.`,
        error,
      );
    }
    throw refusal(
      `Process ${pid} lets nobody in: ${said}.`,
      `A Python with -X disable-remote-debug or PYTHON_DISABLE_REMOTE_DEBUG cannot be entered. ${OTHERWISE}`,
      error,
    );
  }
}

function ptraceScope(): string {
  const scope = readText('/proc/sys/kernel/yama/ptrace_scope');
  return scope === undefined ? '' : ` (kernel.yama.ptrace_scope is ${scope.trim()})`;
}

/** Why the probe could not begin in a process; undefined where nothing is known against it. */
export const entryFailure = (folder: string): string | undefined => readText(join(folder, FAILURE));

const FAILURE = 'entry-failure';

/** Has a running Python begin to record into a folder, with the environment that a recorded command would have. */
export async function enter(
  python: RunningPython,
  folder: string,
  packages: string,
  environment: NodeJS.ProcessEnv,
): Promise<void> {
  await execute(
    python,
    script(folder, packages, 'enter.py', ['from venturi_probe import late', `late.enter(${literal(environment)})`]),
  );
}

/** Has it stop, so that what it still holds is written. */
export async function leave(python: RunningPython, folder: string, packages: string): Promise<void> {
  await execute(python, script(folder, packages, 'leave.py', ['import venturi_probe', 'venturi_probe.stop()']));
}

/** Text and objects of texts read the same in JSON and in Python. */
const literal = (value: unknown): string => JSON.stringify(value);

/** The program sees the path it had, and nothing of what goes wrong. */
function script(folder: string, packages: string, name: string, lines: readonly string[]): string {
  const path = join(folder, name);
  writeFileSync(
    path,
    [
      'def _venturi():',
      '    import sys',
      `    packages = ${literal(packages)}`,
      '    sys.path.insert(0, packages)',
      '    try:',
      ...lines.map(line => `        ${line}`),
      '    except BaseException as error:',
      `        with open(${literal(join(folder, FAILURE))}, "w") as file:`,
      '            file.write("%s: %s" % (type(error).__name__, error))',
      '    finally:',
      '        sys.path.remove(packages)',
      '_venturi()',
      'del _venturi',
      '',
    ].join('\n'),
  );
  return path;
}
