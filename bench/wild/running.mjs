/** Runs programs alone and recorded, the same command both times, and keeps what they print apart from what Venturi says. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CLI } from '../harness.mjs';

export const PROGRAMS = fileURLToPath(new URL('./programs', import.meta.url));
/** Nothing takes this long, however busy the machine: it hangs. */
const HANGS_MS = 600_000;
/** A shell that hands everything through, to files of the folder that is its $0. */
const TO_FILES = 'exec "$@" >"$0/stdout" 2>"$0/stderr"';

/** What a command ended with and said. */
async function ended(command, options = {}) {
  const child = spawn(command[0], command.slice(1), { stdio: ['ignore', 'pipe', 'pipe'], ...options });
  const said = { stdout: '', stderr: '' };
  for (const stream of ['stdout', 'stderr']) child[stream].on('data', text => (said[stream] += text));
  const patience = setTimeout(() => child.kill('SIGKILL'), HANGS_MS);
  const [code, signal] = await once(child, 'close');
  clearTimeout(patience);
  return { code: code ?? signal, ...said };
}

/** A copy of the programs in `folder`, to be edited. */
export function copiedPrograms(folder) {
  const copy = mkdtempSync(join(folder, 'copy-'));
  cpSync(PROGRAMS, copy, { recursive: true });
  return copy;
}

export class Runner {
  #folder;
  #pythonFor;
  #runs = 0;

  /** `pythonFor` gives the Python for a program. */
  constructor(folder, pythonFor) {
    this.#folder = folder;
    this.#pythonFor = pythonFor;
    mkdirSync(join(folder, 'tmp'));
  }

  /** Exit code, output, the program's own clock, and how long it took altogether. `programs` is the folder that holds the script. */
  async bare(program, programs = PROGRAMS) {
    return this.run(program, { programs });
  }

  /** The same recorded, and where the recording lies. */
  async recorded(program, programs = PROGRAMS) {
    const recording = join(this.#folder, `${program.name.replaceAll('/', '-')}-${this.#runs}.venturi`);
    // What the machine costs is measured for forecasts, and beside no other program.
    const costs = program.expected === undefined ? ['--no-costs'] : [];
    const record = [process.execPath, CLI, 'record', '--out', recording, ...costs, '--'];
    return { ...(await this.run(program, { programs, around: command => [...record, ...command] })), recording };
  }

  /**
   * `around` puts something before the shell that keeps the program's output, `inside` before the program itself, and gets
   * the folder of this run, too.
   */
  async run(program, { programs = PROGRAMS, around = command => command, inside = command => command, env = {} } = {}) {
    const folder = join(this.#folder, String(this.#runs++));
    mkdirSync(folder);
    const clock = join(folder, 'clock.json');
    const command = inside([this.#pythonFor(program), join(programs, program.script), ...program.args], folder);
    const environment = {
      ...process.env,
      HF_HUB_OFFLINE: '1',
      // Where measurements of the machine are kept: none of before.
      TMPDIR: join(this.#folder, 'tmp'),
      WILD_CLOCK: clock,
      ...env,
    };
    const began = performance.now();
    const { code, stderr } = await ended(around(['sh', '-c', TO_FILES, folder, ...command]), {
      env: environment,
      cwd: folder,
    });
    const text = name => (existsSync(join(folder, name)) ? readFileSync(join(folder, name), 'utf8') : '');
    return {
      code,
      folder,
      seconds: (performance.now() - began) / 1e3,
      stdout: text('stdout'),
      stderr: text('stderr'),
      said: stderr,
      clock: existsSync(clock) ? JSON.parse(text('clock.json')) : {},
    };
  }
}

/** What `venturi VERB --json …` prints. */
export async function venturiJson(verb, ...args) {
  const { code, stdout, stderr } = await ended([process.execPath, CLI, verb, '--json', ...args]);
  if (code !== 0) throw new Error(`venturi ${verb} ended with ${code}: ${stderr.trim()}`);
  return JSON.parse(stdout);
}
