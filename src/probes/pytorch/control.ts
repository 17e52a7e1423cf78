import { closeSync, openSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { readRegular } from '../../files/regular-file.ts';
import { orUnwritable } from '../../store/manifest.ts';

/** The bytes all processes of a recording share; `python/venturi_probe/recording/control.py` has the other end. */
const FILE = 'control';
const SIZE = 16;
const OFFSETS = { stopped: 0, warned: 1, probeLoaded: 2, dataImported: 3, enough: 4, rotated: 5, kept: 6 } as const;
/** Libraries that load data past PyTorch's DataLoader; `python/venturi_probe/pytorch/foreign.py` has their modules. */
const FOREIGN: readonly (readonly [name: string, offset: number])[] = [
  ['ffcv', 8],
  ['NVIDIA DALI', 9],
  ['tf.data', 10],
  ['Grain', 11],
  ['Ray Data', 12],
  ['SPDL', 13],
  ['torchdata.nodes', 14],
];

export type ControlMarks = Readonly<Record<keyof typeof OFFSETS, boolean>> & {
  /** Those that the program imported. */
  readonly foreignLoaders: readonly string[];
};

export function createControl(folder: string): void {
  const path = join(folder, FILE);
  orUnwritable(path, () => writeFileSync(path, new Uint8Array(SIZE), { flag: 'wx' }));
}

export function readControl(folder: string): ControlMarks {
  let bytes: Uint8Array;
  try {
    bytes = readRegular(join(folder, FILE));
  } catch {
    bytes = new Uint8Array(SIZE);
  }
  const isMarked = ([, offset]: readonly [string, number]): boolean => bytes[offset] === 1;
  const marks = Object.fromEntries(Object.entries(OFFSETS).map(mark => [mark[0], isMarked(mark)]));
  const foreignLoaders = FOREIGN.filter(isMarked).map(([name]) => name);
  return { ...(marks as Record<keyof typeof OFFSETS, boolean>), foreignLoaders };
}

/** Ends the recording in every process; each notices with its next batch. */
export function markStopped(folder: string): void {
  const fd = openSync(join(folder, FILE), 'r+');
  try {
    writeSync(fd, new Uint8Array([1]), 0, 1, OFFSETS.stopped);
  } finally {
    closeSync(fd);
  }
}

export const removeControl = (folder: string): void => rmSync(join(folder, FILE), { force: true });
