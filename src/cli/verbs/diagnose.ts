import type { Command } from 'commander';
import type { DiskCurve } from '../../model/disk.ts';
import { diagnosisReport, runAgain } from '../../report/views/diagnosis.ts';
import { fleetReport } from '../../report/views/fleet.ts';
import { programDiagnosisReport } from '../../report/views/loader-diagnosis.ts';
import type { diagnose, diagnoseFleet, diagnoseProgram, isFleet, isProgramRun } from '../../workflow/index.ts';
import type { Context } from '../context.ts';
import { parseDisk } from '../disk-option.ts';
import { EXIT } from '../exit-codes.ts';
import { parseWhole } from '../quantities.ts';
import { printJson, printReport } from '../terminal.ts';
import { explainingSources } from './source-file.ts';

interface DiagnoseFlags {
  readonly disk?: DiskCurve;
  readonly root?: string;
  /** Of a program with DataLoaders. */
  readonly epochs?: number;
  readonly json?: boolean;
}

interface DiagnoseWorkflow {
  readonly diagnose: typeof diagnose;
  readonly diagnoseFleet: typeof diagnoseFleet;
  readonly diagnoseProgram: typeof diagnoseProgram;
  readonly isFleet: typeof isFleet;
  readonly isProgramRun: typeof isProgramRun;
}

export function addDiagnoseVerb(program: Command, context: Context, finish: (code: number) => void): void {
  program
    .command('diagnose')
    .summary('say what limits a recorded run, and what to change')
    .description(
      'Says what limits a recorded run, whether a resource is full or the program leaves it unused, and what to change. ' +
        'A folder with many recordings gives a table of all of them.',
    )
    .argument('<run>', 'the folder NAME.venturi of a recording, or a folder with many of them')
    .option('--disk <bandwidth>', 'what storage delivers: 500MB/s, or what `venturi doctor --disk` wrote', parseDisk)
    .option('--root <operator>', 'count the elements of this operator, instead of all that come to an end')
    .option('--epochs <n>', 'DataLoaders: for a program that makes so many passes; else as many as recorded', text =>
      parseWhole('--epochs', text, 1),
    )
    .option('--json', 'print it as JSON')
    .action(async (run: string, flags: DiagnoseFlags) => {
      finish(await diagnoseVerb(run, flags, context, await import('../../workflow/index.ts')));
    });
}

export async function diagnoseVerb(
  run: string,
  flags: DiagnoseFlags,
  context: Context,
  workflow: DiagnoseWorkflow,
): Promise<number> {
  const { out, charset } = context.terminal;
  const options = { disk: flags.disk, root: flags.root, epochs: flags.epochs };
  if (workflow.isFleet(run)) {
    const fleet = await workflow.diagnoseFleet(run, options);
    if (flags.json === true) printJson(fleet, out);
    else printReport(fleetReport(fleet), out, charset);
    return EXIT.fine;
  }
  if (await explainingSources(run, 'diagnose', async () => workflow.isProgramRun(run))) {
    const diagnosis = await workflow.diagnoseProgram(run, { disk: flags.disk, epochs: flags.epochs });
    if (flags.json === true) printJson(diagnosis, out);
    else printReport(programDiagnosisReport(diagnosis, process.cwd()), out, charset);
    return EXIT.fine;
  }
  const diagnosis = await explainingSources(run, 'diagnose', () => workflow.diagnose(run, options));
  if (flags.json === true) printJson(diagnosis, out);
  else printReport(diagnosisReport(diagnosis, runAgain(diagnosis.command)), out, charset);
  return EXIT.fine;
}
