import { execFile } from 'node:child_process';
import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';

export type CommandOutcome =
  | { readonly status: 'answered'; readonly output: string }
  | { readonly status: 'absent' }
  | { readonly status: 'failed'; readonly reason: string };

export type CommandRunner = (program: string, args: readonly string[]) => Promise<CommandOutcome>;

/** Below the time a check gets, so that the check can still say which program hung. */
const PATIENCE_MS = 4000;

const firstLine = (text: string): string =>
  text
    .split('\n')
    .find(line => line.trim() !== '')
    ?.trim() ?? '';

/** Runs a program without a shell. Java and others print their version on stderr, so both streams count as output. */
export const runCommand: CommandRunner = (program, args) =>
  new Promise(resolve => {
    const options = { timeout: PATIENCE_MS, killSignal: 'SIGKILL', windowsHide: true } as const;
    const child = execFile(program, [...args], options, (error, stdout, stderr) => {
      if (error === null) resolve({ status: 'answered', output: `${stdout}${stderr}`.trim() });
      else if (error.code === 'ENOENT') resolve({ status: 'absent' });
      else if (error.killed) resolve({ status: 'failed', reason: `no answer in ${PATIENCE_MS / 1000} s` });
      else resolve({ status: 'failed', reason: firstLine(`${stderr}${stdout}`) || error.message });
    });
    child.stdin?.end();
  });

/** The executable `program` would start, as a shell would find it. */
export function findOnPath(program: string, path: string = process.env.PATH ?? ''): string | undefined {
  const endings = process.platform === 'win32' ? ['.exe', '.cmd', ''] : [''];
  for (const folder of path.split(delimiter)) {
    if (folder === '') continue;
    for (const ending of endings) {
      const file = join(folder, program + ending);
      try {
        accessSync(file, constants.X_OK);
        if (statSync(file).isFile()) return file;
      } catch {
        // Not in this folder.
      }
    }
  }
  return undefined;
}
