import { statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { readHost } from '../../probes/host/host.ts';
import { readText } from '../../probes/host/text-reader.ts';
import { openThreadClock } from '../../probes/host/thread-clock.ts';
import { openThreadStorage } from '../../probes/host/thread-storage.ts';
import type { DoctorEnvironment } from './check.ts';
import { findOnPath, runCommand } from './command.ts';

/** The machine this process runs on. */
export function thisEnvironment(): DoctorEnvironment {
  return {
    host: readHost(),
    nodeVersion: process.versions.node,
    privileged: process.getuid?.() === 0,
    temporary: tmpdir(),
    read: readText,
    run: runCommand,
    find: program => findOnPath(program),
    freeSpace: async folder => {
      const { bavail, bsize } = await statfs(folder);
      return bavail * bsize;
    },
    openClock: () => openThreadClock(),
    openStorage: () => openThreadStorage(),
    importEsbuild: () => import('esbuild'),
  };
}
