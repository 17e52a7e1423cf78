import { type Command, Option } from 'commander';
import { byteRate, plural } from '../../report/format.ts';
import { costsReport } from '../../report/views/costs-report.ts';
import { diskReport } from '../../report/views/disk-report.ts';
import { doctorReport } from '../../report/views/doctor-report.ts';
import type { measureCosts } from '../../workflow/costs.ts';
import type { measureDisk } from '../../workflow/disk.ts';
import type { doctor } from '../../workflow/doctor.ts';
import { type Context, withLongWork } from '../context.ts';
import { EXIT } from '../exit-codes.ts';
import { printAnswer } from '../terminal.ts';

interface DoctorFlags {
  /** A folder on the storage to measure. */
  readonly disk?: string;
  readonly costs?: boolean;
  readonly json?: boolean;
}

export function addDoctorVerb(program: Command, context: Context, finish: (code: number) => void): void {
  program
    .command('doctor')
    .summary('say what works on this machine and how to get the rest')
    .description(
      'Tries what Venturi can use on this machine. Changes nothing, but --disk makes a file to read where there is none, and deletes it.',
    )
    .option('--disk <folder>', 'measure instead what the storage of this folder delivers, by number of readers')
    .addOption(
      new Option('--costs', "measure instead what a pipeline's lanes cost here: handing on, waking, memory").conflicts(
        'disk',
      ),
    )
    .option('--json', 'print it as JSON')
    .action(async (flags: DoctorFlags) => {
      const { disk } = flags;
      if (flags.costs === true) finish(await costsVerb(flags, context, await import('../../workflow/costs.ts')));
      else if (disk === undefined) finish(await doctorVerb(flags, context, await import('../../workflow/doctor.ts')));
      else finish(await diskVerb(disk, flags, context, await import('../../workflow/disk.ts')));
    });
}

function costsVerb(
  flags: DoctorFlags,
  context: Context,
  workflow: { readonly measureCosts: typeof measureCosts },
): Promise<number> {
  return withLongWork(context, flags.json === true, async ({ progress, interruption }) => {
    progress.say("measuring what a pipeline's lanes cost on this machine");
    const result = await workflow.measureCosts();
    printAnswer({ result, report: () => costsReport(result) }, flags.json, context.terminal);
    return interruption.exitCode ?? EXIT.fine;
  });
}

function diskVerb(
  folder: string,
  flags: DoctorFlags,
  context: Context,
  workflow: { readonly measureDisk: typeof measureDisk },
): Promise<number> {
  return withLongWork(context, flags.json === true, async ({ progress, interruption }) => {
    const result = await workflow.measureDisk({
      folder,
      signal: interruption.signal,
      onStep: ({ readers, bytesPerSecond }) =>
        progress.say(`${plural(readers, 'reader')}: ${byteRate(bytesPerSecond)}`),
    });
    printAnswer({ result, report: () => diskReport(result) }, flags.json, context.terminal);
    return interruption.exitCode ?? EXIT.fine;
  });
}

/** Something missing is an answer, not a failure: the exit code stays 0. */
export async function doctorVerb(
  flags: DoctorFlags,
  context: Context,
  workflow: { readonly doctor: typeof doctor },
): Promise<number> {
  const result = await workflow.doctor();
  printAnswer({ result, report: () => doctorReport(result) }, flags.json, context.terminal);
  return EXIT.fine;
}
