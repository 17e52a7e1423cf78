import type { Command } from 'commander';
import type { doctor } from '../../workflow/doctor.ts';
import type { Context } from '../context.ts';
import { EXIT } from '../exit-codes.ts';
import { printJson, printReport } from '../terminal.ts';
import { doctorReport } from '../views/doctor-report.ts';

interface DoctorFlags {
  readonly json?: boolean;
}

export function addDoctorVerb(program: Command, context: Context, finish: (code: number) => void): void {
  program
    .command('doctor')
    .summary('say what works on this machine and how to get the rest')
    .description('Tries what Venturi can use on this machine. Changes nothing.')
    .option('--json', 'print it as JSON')
    .action(async (flags: DoctorFlags) => {
      finish(await doctorVerb(flags, context, await import('../../workflow/doctor.ts')));
    });
}

/** Something missing is an answer, not a failure: the exit code stays 0. */
export async function doctorVerb(
  flags: DoctorFlags,
  context: Context,
  workflow: { readonly doctor: typeof doctor },
): Promise<number> {
  const { out, charset } = context.terminal;
  const report = await workflow.doctor();
  if (flags.json === true) printJson(report, out);
  else printReport(doctorReport(report), out, charset);
  return EXIT.fine;
}
