import type { CheckResult, DoctorCheck, DoctorReport } from '../report/results/doctor.ts';
import type { Check, DoctorEnvironment } from './doctor/check.ts';
import { thisEnvironment } from './doctor/environment.ts';
import { MACHINE_CHECKS } from './doctor/machine-checks.ts';
import { PROGRAM_CHECKS } from './doctor/program-checks.ts';
import { RUNTIME_CHECKS } from './doctor/runtime-checks.ts';

/**
 * In the order they are shown. All run at once, but the machine's own measure before they first wait for anything, so
 * no program started by a later check disturbs them.
 */
const CHECKS: readonly Check[] = [...MACHINE_CHECKS, ...RUNTIME_CHECKS, ...PROGRAM_CHECKS];

const PATIENCE_MS = 5000;

async function runCheck(check: Check, environment: DoctorEnvironment, patience: number): Promise<DoctorCheck> {
  const { id, title } = check;
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<CheckResult>(resolve => {
    const detail = `could not be determined: no answer in ${patience / 1000} s`;
    timer = setTimeout(() => resolve({ status: 'limited', detail }), patience);
  });
  try {
    return { id, title, ...(await Promise.race([check.run(environment), timeout])) };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { id, title, status: 'limited', detail: `could not be determined: ${reason}` };
  } finally {
    clearTimeout(timer);
  }
}

/** What works on this machine and how to get the rest. A check that fails or hangs costs its own line alone. */
export async function doctor(
  environment: DoctorEnvironment = thisEnvironment(),
  checks: readonly Check[] = CHECKS,
  patience: number = PATIENCE_MS,
): Promise<DoctorReport> {
  const results = await Promise.all(checks.map(check => runCheck(check, environment, patience)));
  return { schemaVersion: 1, checks: results, host: environment.host };
}
