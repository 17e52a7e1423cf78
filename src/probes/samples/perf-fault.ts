import { VenturiError } from '../../model/errors.ts';

/** Why perf cannot record here, from what it said itself, and what would help. */
export function perfFault(said: string): VenturiError {
  const line =
    said
      .split('\n')
      .find(text => /\S/.test(text) && text.trim() !== 'Error:')
      ?.trim() ?? 'it ended at once';
  if (/paranoid|permission|not permitted|access to performance monitoring|EACCES|EPERM/i.test(said)) {
    return unavailable(
      'the kernel does not let this user sample programs',
      'sudo sysctl kernel.perf_event_paranoid=2; in a container, run it with --cap-add PERFMON (or SYS_ADMIN) and a seccomp ' +
        'profile that allows perf_event_open.',
    );
  }
  if (/unknown option|control/i.test(line)) {
    return unavailable(`this perf is too old (${line})`, 'Install perf 5.10 or newer: it must know --control.');
  }
  if (/not supported|bad event|unknown (?:tracepoint|event)|parser error|invalid event/i.test(said)) {
    return unavailable(
      `an event does not exist here (${line})`,
      'Leave --perf-events away for the CPU clock, which is everywhere; perf list shows the others.',
    );
  }
  return unavailable(line, 'Try it by itself: perf record -e cpu-clock -- true');
}

export const perfMissing = (): VenturiError =>
  unavailable(
    'perf is not on PATH',
    'Install linux-perf (Debian), perf (Fedora, Alpine) or linux-tools for your kernel (Ubuntu).',
  );

export const notLinux = (): VenturiError =>
  unavailable('perf is a program of Linux', 'Leave --perf away: operators are timed all the same.');

const unavailable = (what: string, remedy: string): VenturiError =>
  new VenturiError('VENTURI_PERF_UNAVAILABLE', `No samples were taken: ${what}.`, { remedy });
