import { randomUUID } from 'node:crypto';
import { basename } from 'node:path';
import type { ClockSnapshot, Outcome, RunManifest } from '../../model/run.ts';
import { RUN_VERSION } from '../../model/run-version.ts';
import { bootId, readHost } from './host.ts';

/** This moment on the clock of the lanes and on that of the wall. */
export const realtime = (): ClockSnapshot => ({
  monotonic: String(process.hrtime.bigint()),
  domain: 'realtime',
  value: String(BigInt(Date.now()) * 1_000_000n),
});

type KnownLater = 'parameters' | 'settings' | 'redacted';

/** What a recording that begins now says of itself, this moment, this process and its machine. */
export const startOfRun = (
  probe: string,
  { writer, command }: { readonly writer: string; readonly command: readonly string[] },
  folder: string,
): Omit<RunManifest, KnownLater> => ({
  format: 'venturi-run',
  version: RUN_VERSION,
  writer,
  id: randomUUID(),
  name: basename(folder, '.venturi'),
  probe,
  createdAt: new Date().toISOString(),
  command: [...command],
  directory: process.cwd(),
  pid: process.pid,
  start: String(process.hrtime.bigint()),
  bootId: bootId(),
  clocks: [realtime()],
  host: readHost(),
});

/** What the outcome of a recording that ends now says of this moment. */
export const endOfRun = (): Pick<Outcome, 'endedAt' | 'monotonic'> => ({
  endedAt: new Date().toISOString(),
  monotonic: String(process.hrtime.bigint()),
});
