import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { VenturiError } from '../../../model/errors.ts';
import { MS_PER_SECOND } from '../../../model/units.ts';
import type { Warning } from '../../../model/warnings.ts';
import {
  enter,
  entryFailure,
  findRunningPython,
  leave,
  type RunningPython,
} from '../../../probes/pytorch/attaching.ts';
import { PytorchRecorder } from '../../../probes/pytorch/recorder.ts';
import type { ProgramRecordResult } from '../../../report/results/record-result.ts';
import { isAlive } from '../../../store/run-follower.ts';
import { VERSION } from '../../version.ts';
import { LOOK_MS } from '../looking.ts';
import { finishRecording, freeName, type RecordRequest, ROTATED } from './record.ts';

export interface AttachRequest extends Pick<RecordRequest, 'out' | 'batches' | 'maxRecordBytes' | 'redact'> {
  /** The process to enter. */
  readonly pid: number;
  /** Handed how to end the recording, once the process is to be entered; the program goes on. */
  onStart?(started: { readonly folder: string; stop(): void }): void;
  /** The process has not come to a place at which it can be entered yet. */
  onWaiting?(): void;
}

/** Wait before progress is shown, 1 s: the limit of an uninterrupted flow of thought (Nielsen, 1993). Workers have written records of their current batch by then. */
const LOOKS_PER_SECOND = MS_PER_SECOND / LOOK_MS;

/** Records the loaders of a process that runs already, until it ends, as many batches are recorded as were asked for, or `stop` is called. */
export async function attachProgram(request: AttachRequest): Promise<ProgramRecordResult> {
  const python = await findRunningPython(request.pid);
  const recorder = new PytorchRecorder({
    folder: request.out ?? freeName(python.command),
    writer: `venturi ${VERSION}`,
    command: python.command,
    batches: request.batches,
    thenStop: false,
    stacks: false,
    maxBytes: request.maxRecordBytes,
    redact: request.redact ?? false,
  });
  try {
    await enter(python, recorder.folder, recorder.packages, recorder.settings);
  } catch (error) {
    recorder.close(false);
    recorder.discard();
    throw error;
  }
  await untilOver(python, recorder, request);
  const marks = recorder.marks();
  const isWritten = recorder.hasLanes;
  recorder.close(true);
  const failure = entryFailure(recorder.folder);
  if (failure !== undefined || !isWritten) {
    recorder.discard();
    if (failure !== undefined) {
      throw new VenturiError(
        'VENTURI_ATTACH_REFUSED',
        `The probe could not begin in process ${python.pid}: ${failure}.`,
        {
          remedy: 'Start the program again under venturi record.',
        },
      );
    }
    return {
      ...ENDED,
      recording: undefined,
      batches: 0,
      warnings: [{ code: 'VENTURI_WARN_NOTHING_RECORDED', message: nothingSeen(marks) }],
    };
  }
  for (const name of ['enter.py', 'leave.py']) rmSync(join(recorder.folder, name), { force: true });
  const warnings: Warning[] = [
    ...(marks.warned ? [STOPPED] : []),
    ...(marks.rotated ? [ROTATED] : []),
    ...(marks.kept ? [{ code: 'VENTURI_WARN_WORKERS_UNSEEN', message: KEPT } as const] : []),
  ];
  // The program goes on beside us: what it takes would be measured too.
  const batches = await finishRecording(recorder, { status: 'stopped' }, { warnings, withCosts: false });
  return { ...ENDED, recording: recorder.folder, batches, warnings };
}

const ENDED = { schemaVersion: 1, exitCode: 0, signal: undefined } as const;

async function untilOver(python: RunningPython, recorder: PytorchRecorder, request: AttachRequest): Promise<void> {
  let isAsked = false;
  const asked = new Promise<void>(resolve => {
    request.onStart?.({
      folder: recorder.folder,
      stop: () => {
        isAsked = true;
        resolve();
      },
    });
  });
  const pause = (): Promise<unknown> => Promise.race([asked, new Promise(resolve => setTimeout(resolve, LOOK_MS))]);
  for (let looks = 0; ; looks++) {
    const { probeLoaded, enough, stopped } = recorder.marks();
    if (isAsked || enough || stopped || !isAlive(python.pid) || entryFailure(recorder.folder) !== undefined) break;
    if (!probeLoaded && looks === LOOKS_PER_SECOND) request.onWaiting?.();
    await pause();
  }
  if (!isAlive(python.pid)) return;
  if (isAsked) {
    recorder.stop();
    await leave(python, recorder.folder, recorder.packages).catch(() => undefined);
  }
  for (let looks = 0; looks < LOOKS_PER_SECOND && isAlive(python.pid); looks++) {
    await new Promise(resolve => setTimeout(resolve, LOOK_MS));
  }
}

const STOPPED: Warning = {
  code: 'VENTURI_WARN_RECORDING_STOPPED',
  message: 'The recording stopped before it was asked to: see what the program said on standard error.',
};

const KEPT =
  'A loader keeps the workers it had before (persistent_workers=True), and these cannot be seen: start the program under venturi record to see it.';

function nothingSeen({ probeLoaded, dataImported, kept }: ReturnType<PytorchRecorder['marks']>): string {
  if (!probeLoaded) {
    return 'Nothing was recorded: the process never came to a place at which it can be entered. It may wait inside a library.';
  }
  if (kept) return `Nothing was recorded. ${KEPT}`;
  return dataImported
    ? 'Nothing was recorded: no new loop over a DataLoader began meanwhile. One that is under way is not seen, the next one is.'
    : 'Nothing was recorded: the process has not imported torch.utils.data.';
}
