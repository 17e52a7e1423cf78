/** A Python with torch and torchvision: the one that VENTURI_PYTHON names, else the first on the path. */
import { spawnSync } from 'node:child_process';

export const python = [process.env.VENTURI_PYTHON, 'python3', '/usr/bin/python3'].find(
  candidate =>
    candidate !== undefined &&
    spawnSync(candidate, ['-c', 'import torch, torchvision'], { stdio: 'ignore' }).status === 0,
);

export const PYTHON_ABSENT = 'no Python with torch and torchvision; VENTURI_PYTHON names one';

/** Says whether there is none, and reports these cases as absent then. */
export function isPythonAbsent(report, cases) {
  if (python === undefined) for (const name of cases) report({ case: name, absent: PYTHON_ABSENT });
  return python === undefined;
}
