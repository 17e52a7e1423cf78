import type { ClockSnapshot, Outcome, RunManifest } from '../../model/run.ts';
import { bootId, readHost } from './host.ts';

/** This moment on the clock of the lanes and on that of the wall. */
export const realtime = (): ClockSnapshot => ({
  monotonic: String(process.hrtime.bigint()),
  domain: 'realtime',
  value: String(BigInt(Date.now()) * 1_000_000n),
});

type KnownAtStart = 'createdAt' | 'directory' | 'pid' | 'start' | 'bootId' | 'clocks' | 'host';

/** What a recording that begins now says of this moment, this process and its machine. */
export const startOfRun = (): Pick<RunManifest, KnownAtStart> => ({
  createdAt: new Date().toISOString(),
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
