import { changesText } from '../../../model/loader-changes.ts';
import { TRIED } from '../../../report/page/document.ts';
import { programTuningReport } from '../../../report/views/program-tuning.ts';
import type { Attendant } from '../../attendant.ts';
import type { Tuned, TuneFlags, Tuner } from '../target.ts';
import { isPython, passingSignals } from './recorder.ts';
import { tuneProgram } from './tune.ts';

/** The DataLoaders of a program: it runs for real, set as it is and set better. */
export const pytorchTuner: Tuner = {
  starts: isPython,
  subject: 'a program',
  naming: 'Give the program behind two dashes: venturi tune -- python3 train.py; or leave the option out.',
  takes: ['rounds', 'epochs', 'record', 'batches', 'loader'],
  tune: tuneLoaders,
};

export async function tuneLoaders(
  command: readonly string[],
  { batches, rounds, epochs, record, loader }: TuneFlags,
  attendant: Attendant,
  workflow: { readonly tuneProgram: typeof tuneProgram } = { tuneProgram },
): Promise<Tuned> {
  const passTo = passingSignals(attendant);
  const result = await workflow.tuneProgram({
    ...{ command, batches, rounds, epochs, record, loader },
    // What the program prints is talk here: the result is the report.
    outputToError: true,
    onStart: ({ kill }) => passTo(kill),
    onPhase: (phase, changes) =>
      attendant.say(`running it ${phase === 'before' ? 'as it is' : `with ${changesText(changes)}`}`),
  });
  for (const warning of result.warnings) attendant.warn(warning);
  const report = () => programTuningReport(result, process.cwd());
  return {
    result,
    report,
    reached: true,
    section: () => ({ kind: 'program-tuning', ...TRIED, blocks: report(), data: result }),
    recording: record === undefined ? undefined : result.recordings[0],
  };
}
