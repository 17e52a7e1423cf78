/**
 * A Python with the libraries whose programs are recorded: the one that VENTURI_PYTHON_WILD names, else the one that
 * tools/wild-libraries.sh prints, which makes it on its first call. Programs without a library run on the Python of the other
 * benches, where there is one: an old torch is imported in a quarter of the time.
 */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { python as anyTorch } from '../probe/python.mjs';
import { isPlain } from './programs.mjs';

const MAKER = fileURLToPath(new URL('../../tools/wild-libraries.sh', import.meta.url));

/** The Python for a program, where `python` has the libraries. */
export const pythonFor = (program, python) => (isPlain(program) ? (anyTorch ?? python) : python);

/** Gives `python`, or `absent` with the reason. */
export function wildPython() {
  const named = process.env.VENTURI_PYTHON_WILD;
  if (named !== undefined && named !== '') return { python: named };
  const { status, stdout } = spawnSync(MAKER, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
  return status === 0
    ? { python: stdout.trim() }
    : { absent: 'no Python with the libraries: tools/wild-libraries.sh says why; VENTURI_PYTHON_WILD names one' };
}
