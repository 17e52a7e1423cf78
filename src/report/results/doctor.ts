import type { Host } from '../../model/host.ts';

export interface CheckResult {
  /** `limited`: there, but with less than it could give; `detail` says what. */
  readonly status: 'ok' | 'missing' | 'limited';
  readonly detail: string;
  /** What the user can do about it, as a sentence. */
  readonly remedy?: string;
}

export interface DoctorCheck extends CheckResult {
  readonly id: string;
  readonly title: string;
}

export interface DoctorReport {
  readonly schemaVersion: 1;
  readonly checks: readonly DoctorCheck[];
  readonly host: Host;
}
