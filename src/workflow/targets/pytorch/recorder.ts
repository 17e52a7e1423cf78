import { VenturiError } from '../../../model/errors.ts';
import type { RecordResult } from '../../../report/results/record-result.ts';
import { recentLoaderLine } from '../../../report/views/recent-loader.ts';
import type { Attendant, StopSignal } from '../../attendant.ts';
import type { Recorder, RecordFlags } from '../target.ts';
import { attachProgram } from './attach.ts';
import { watchBatches } from './live-batches.ts';
import { recordProgram } from './record.ts';

export const isPython = (command: readonly string[]): boolean =>
  command.some(word => /(^|[\\/])python[\d.]*$|\.py$/.test(word));

export const pytorchRecorder: Recorder = { starts: isPython, record };

/** Said where it takes a moment after the program: once an hour on a quiet machine, whose costs are kept; every time on a busy one. */
const MEASURING =
  'measuring this machine for forecasts, a few seconds (kept for an hour if it is quiet); record --no-costs leaves it out';

async function record(
  command: readonly string[],
  { attach: pid, live, ...options }: RecordFlags,
  attendant: Attendant,
): Promise<RecordResult> {
  let stopWatching = (): void => undefined;
  // Where nothing could be written there is no folder.
  const watch = (folder: string): void => {
    if (folder === '') return;
    attendant.recording?.(folder);
    if (live !== true) return;
    stopWatching = watchBatches(folder, recent => attendant.status(recentLoaderLine(recent)));
  };
  const unwatch = (): void => {
    stopWatching();
    attendant.status(undefined);
  };
  try {
    if (pid !== undefined) return await attached(pid, command, options, attendant, watch);
    const passTo = passingSignals(attendant);
    return await recordProgram({
      command,
      ...options,
      onStart: ({ folder, kill }) => {
        passTo(kill);
        watch(folder);
      },
      onEnd: unwatch,
      onCosts: () => attendant.say(MEASURING),
    });
  } finally {
    unwatch();
  }
}

/** Signals end the recording; the process is somebody else's. */
function attached(
  pid: number,
  command: readonly string[],
  { thenStop, perf, ...options }: RecordFlags,
  attendant: Attendant,
  watch: (folder: string) => void,
): Promise<RecordResult> {
  if (command.length > 0 || thenStop === true || perf !== undefined) {
    throw new VenturiError('VENTURI_USAGE', '--attach takes neither a command, nor --then-stop, nor --perf.', {
      remedy: `venturi record --attach ${pid} --batches 200`,
    });
  }
  let stop = (): void => undefined;
  attendant.onSignal(() => stop());
  return attachProgram({
    pid,
    ...options,
    onStart: started => {
      stop = () => started.stop();
      watch(started.folder);
    },
    onWaiting: () => attendant.say(`process ${pid} has not come to a place at which it can be entered; waiting`),
  });
}

/**
 * While a program runs, signals are for the program. A terminal sends Ctrl-C to everything in the foreground, so the
 * program has had it already; what comes otherwise is passed on.
 */
export function passingSignals(attendant: Attendant): (kill: (signal: StopSignal) => void) => void {
  let kill: ((signal: StopSignal) => void) | undefined;
  attendant.onSignal(signal => {
    if (signal === 'SIGTERM' || !attendant.isTerminal) kill?.(signal);
  });
  return next => {
    kill = next;
  };
}
