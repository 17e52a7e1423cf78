import type { Host } from '../../model/host.ts';
import type { TextReader } from '../../probes/host/text-reader.ts';
import type { ThreadClock } from '../../probes/host/thread-clock.ts';
import type { ThreadStorage } from '../../probes/host/thread-storage.ts';
import type { CheckResult } from '../../report/results/doctor.ts';
import type { CommandRunner } from './command.ts';

export interface Check {
  /** Never changes meaning. */
  readonly id: string;
  readonly title: string;
  run(environment: DoctorEnvironment): CheckResult | Promise<CheckResult>;
}

/** Everything a check may ask, handed in so that each can be tested on machines that are not here. */
export interface DoctorEnvironment {
  readonly host: Host;
  readonly nodeVersion: string;
  readonly privileged: boolean;
  readonly temporary: string;
  readonly read: TextReader;
  readonly run: CommandRunner;
  /** Where a program lies on PATH. */
  find(program: string): string | undefined;
  /** Bytes this user may still write there. */
  freeSpace(folder: string): Promise<number>;
  openClock(): ThreadClock;
  openStorage(): ThreadStorage | undefined;
  importEsbuild(): Promise<{ readonly version: string }>;
}
