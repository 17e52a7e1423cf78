/** A Python with torch, whatever else it lacks: the one that VENTURI_PYTHON names, else the first on the path. */
import { spawnSync } from 'node:child_process';

export const pythonWithTorch = () =>
  [process.env.VENTURI_PYTHON, 'python3', '/usr/bin/python3'].find(
    candidate =>
      candidate !== undefined && spawnSync(candidate, ['-c', 'import torch'], { stdio: 'ignore' }).status === 0,
  );

export const TORCH_ABSENT = 'no Python with torch; VENTURI_PYTHON names one';
