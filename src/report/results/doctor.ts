import type { Host } from '../../model/host.ts';

export interface CheckResult {
  /** `limited`: works in part; `detail` says which. */
  readonly status: 'ok' | 'missing' | 'limited';
  readonly detail: string;
  /** The remedy, as a sentence. */
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
