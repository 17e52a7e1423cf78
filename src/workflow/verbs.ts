import { basename } from 'node:path';
import { VenturiError } from '../model/errors.ts';
import type { RecordResult } from '../report/results/record-result.ts';
import { openRun } from '../store/run-reader.ts';
import type { Answer } from './answer.ts';
import type { Attendant, Waiting } from './attendant.ts';
import { fleetAnswer, isFleet } from './fleet.ts';
import { readerOf, recorderOf, TARGETS, targetOf, tunerOf } from './targets/registry.ts';
import type { ForecastRequest, JudgeOptions, RecordFlags, Target, Tuned, TuneFlags, Tuner } from './targets/target.ts';

const targetAt = (path: string): Target => readerOf([path]) ?? targetOf(openRun(path).manifest);

/** What limits a run, or each in a folder of them. */
export const judgeRuns = async (path: string, options: JudgeOptions = {}): Promise<Answer> =>
  isFleet(path) ? fleetAnswer(path, options) : targetAt(path).judge(path, options);

export async function forecastRun(path: string, request: ForecastRequest = {}, waiting?: Waiting): Promise<Answer> {
  const target = targetAt(path);
  if ((request.cluster ?? request.recording) !== undefined && target.files === undefined) {
    const asked = request.cluster === undefined ? '--recording belongs to' : 'clusters are forecast from';
    throw new VenturiError('VENTURI_USAGE', `${path} is a recording, and ${asked} traces of training steps.`, {
      remedy:
        'Give a trace that the profiler of PyTorch or TensorFlow wrote: venturi predict trace.json.gz --replicas 1..8 --bandwidth 10Gbit',
    });
  }
  return target.forecast(path, request, waiting);
}

/** Starts a command, or enters a process, and records it. */
export const recordCommand = (
  command: readonly string[],
  flags: RecordFlags,
  attendant: Attendant,
): Promise<RecordResult> => recorderOf(command).record(command, flags, attendant);

/** Makes what a command starts faster: records it, plans changes, tries them. */
export async function tuneCommand(
  command: readonly string[],
  { page, ...flags }: TuneFlags,
  attendant: Attendant,
): Promise<Tuned> {
  const tuner = tunerOf(command);
  refuseOthers(tuner, flags);
  const tuned = await tuner.tune(command, flags, attendant);
  if (page !== undefined) {
    await writeTuned(page, basename(command[0] ?? ''), tuned);
    attendant.say(`page written to ${page}; with paths and arguments`);
  }
  return tuned;
}

/** What was tried, behind all that is known of the program as it is where its recording was kept. */
async function writeTuned(out: string, title: string, { section, recording }: Tuned): Promise<void> {
  const { writePage, writeSections } = await import('./page/write-page.ts');
  if (recording === undefined) writeSections(out, title, [section()]);
  else await writePage(recording, { out, full: true, more: [section()] });
}

/** An option that would do nothing is a mistake of its user. */
function refuseOthers(tuner: Tuner, { json: _, ...flags }: TuneFlags): void {
  const others = Object.keys(flags).filter(flag => !tuner.takes.some(each => each === flag));
  for (const { tuner: other } of TARGETS) {
    const flag = others.find(name => other?.takes.some(each => each === name));
    if (flag === undefined || other === undefined) continue;
    const option = `--${flag.replaceAll(/[A-Z]/g, letter => `-${letter.toLowerCase()}`)}`;
    throw new VenturiError('VENTURI_USAGE', `${option} is for ${other.subject}.`, { remedy: other.naming });
  }
}
