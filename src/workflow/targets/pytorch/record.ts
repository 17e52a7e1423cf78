import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { basename } from 'node:path';
import { type BatchFacts, BatchFold } from '../../../analysis/batches/fold.ts';
import { loaderGraph } from '../../../analysis/batches/graph.ts';
import { summariseBatches } from '../../../analysis/batches/summary.ts';
import { VenturiError } from '../../../model/errors.ts';
import { statusOfSignal } from '../../../model/exit-status.ts';
import { machineOf } from '../../../model/host.ts';
import type { Warning } from '../../../model/warnings.ts';
import { type CostsRequest, machineCosts } from '../../../probes/pytorch/machine-costs.ts';
import { type PytorchEnding, PytorchRecorder } from '../../../probes/pytorch/recorder.ts';
import type { StartedPythons } from '../../../probes/pytorch/started-pythons.ts';
import type { ProgramRecordResult } from '../../../report/results/record-result.ts';
import { foldRecords } from '../../../store/fold.ts';
import { openRun } from '../../../store/run-reader.ts';
import type { StopSignal } from '../../attendant.ts';
import { unusedName } from '../../unused-name.ts';
import { VERSION } from '../../version.ts';
import type { RecordOptions } from '../target.ts';
import { nothingRecorded } from './nothing-recorded.ts';
import { gated, isStartable, ProgramSampler } from './program-sampler.ts';

export interface RecordRequest extends RecordOptions {
  /** The program and its arguments, as a shell would start it. */
  readonly command: readonly string[];
  /** What else the program finds in its environment. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Handed how to pass a signal on to the program, once it runs. */
  onStart?(started: { readonly folder: string; kill(signal: StopSignal): void }): void;
  /** Called when the program has ended, before what was recorded is read. */
  onEnd?(): void;
  /** Called where the machine itself is measured after that. */
  onCosts?(): void;
}

/** Runs a program that uses PyTorch and records its DataLoaders. What was recorded survives every way it can end. */
export async function recordProgram(request: RecordRequest): Promise<ProgramRecordResult> {
  const [program, ...args] = request.command;
  if (request.thenStop === true && request.batches === undefined) {
    throw new VenturiError('VENTURI_USAGE', 'after how many batches the program is to stop is not said', {
      remedy: 'Say it: venturi record --batches 200 --then-stop -- python train.py',
    });
  }
  if (program === undefined) {
    throw new VenturiError('VENTURI_USAGE', 'there is no command to record', {
      remedy: 'Put it behind two dashes: venturi record -- python train.py',
    });
  }
  if (request.stacks === true && request.perf !== undefined) {
    throw new VenturiError('VENTURI_USAGE', 'samples of native code and of lines of Python do not go together', {
      remedy: 'Record twice: once with --perf, once with --stacks.',
    });
  }
  const recorder = openRecorder(request);
  if ('code' in recorder) {
    const environment = { ...process.env, ...request.environment };
    const { code, signal } = await runProgram(program, args, environment, '', request, undefined);
    return { ...ended(code, signal), recording: undefined, batches: 0, warnings: [recorder] };
  }
  let ending: Ending;
  let pythons: StartedPythons | undefined;
  const sampler = request.perf && new ProgramSampler(recorder.folder, request.perf);
  try {
    const environment = { ...recorder.environment(process.env), ...request.environment };
    ending = await runProgram(program, args, environment, recorder.folder, request, sampler, pid => {
      pythons = recorder.watch(pid);
    });
    await sampler?.stop();
  } catch (error) {
    recorder.close(false);
    recorder.discard();
    throw error;
  } finally {
    pythons?.stop();
  }
  const marks = recorder.marks();
  const hadLanes = recorder.hasLanes;
  const result = ended(ending.code, ending.signal);
  recorder.close(result.exitCode === 0);
  if (!hadLanes) {
    recorder.discard();
    const nothing = { code: 'VENTURI_WARN_NOTHING_RECORDED', message: nothingRecorded(marks, pythons?.all) } as const;
    const reasons = [...(sampler?.warnings ?? []), ...(marks.warned ? [] : [nothing])];
    return { ...result, recording: undefined, batches: 0, warnings: reasons };
  }
  const samples = await sampler?.keep();
  const warnings: Warning[] = [
    ...(marks.warned ? [STOPPED] : []),
    ...(marks.rotated ? [ROTATED] : []),
    ...(sampler?.warnings ?? []),
  ];
  const wasStopped = request.thenStop === true && marks.enough && result.exitCode === 0;
  const batches = await finishRecording(
    recorder,
    wasStopped ? { status: 'stopped' } : endingOf(result.exitCode, ending.signal),
    { warnings, withCosts: request.costs !== false && result.exitCode === 0, onCosts: () => request.onCosts?.() },
  );
  return {
    ...result,
    recording: recorder.folder,
    batches,
    ...(samples === undefined ? {} : { samples }),
    warnings,
  };
}

const STOPPED: Warning = {
  code: 'VENTURI_WARN_RECORDING_STOPPED',
  message: 'The recording stopped before the program did: see what it said on standard error.',
};

export const ROTATED: Warning = {
  code: 'VENTURI_WARN_RECORDING_ROTATED',
  message: 'The recording reached its size limit: older records made room for newer ones.',
};

/** Reads the recording back for what is known only now, and sets its final mark. A disk that is full stops neither. */
export async function finishRecording(
  recorder: PytorchRecorder,
  ending: Omit<PytorchEnding['outcome'], 'warnings'>,
  { warnings, withCosts, onCosts }: { readonly warnings: Warning[]; readonly withCosts: boolean; onCosts?(): void },
): Promise<number> {
  const { batches, graph, runtime, machine } = await readBack(recorder.folder);
  const costs =
    withCosts && machine !== undefined
      ? await machineCosts({ ...machine, ...(onCosts && { onMeasure: onCosts }) })
      : undefined;
  try {
    recorder.finish({ outcome: { ...ending, warnings }, graph, runtime, costs });
  } catch (error) {
    if (!(error instanceof VenturiError)) throw error;
    warnings.push({ code: 'VENTURI_WARN_RECORDING_UNWRITABLE', message: error.message });
  }
  return batches;
}

interface Ending {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

const ended = (code: number | null, signal: NodeJS.Signals | null) => ({
  schemaVersion: 1 as const,
  exitCode: code ?? statusOfSignal(signal === null ? 0 : constants.signals[signal]),
  signal: signal ?? undefined,
});

/** Where nothing can be written the program runs all the same: the answer is then why it is not recorded. */
function openRecorder(request: RecordRequest): PytorchRecorder | Warning {
  try {
    return new PytorchRecorder({
      folder: request.out ?? freeName(request.command),
      writer: `venturi ${VERSION}`,
      command: request.command,
      batches: request.batches,
      thenStop: request.thenStop ?? false,
      maxBytes: request.maxRecordBytes,
      redact: request.redact ?? false,
      stacks: request.stacks ?? false,
    });
  } catch (error) {
    if (!(error instanceof VenturiError) || error.code !== 'VENTURI_RUN_UNWRITABLE') throw error;
    return { code: 'VENTURI_WARN_NOTHING_RECORDED', message: `The program was not recorded. ${error.message}` };
  }
}

function runProgram(
  program: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  folder: string,
  request: RecordRequest,
  sampler: ProgramSampler | undefined,
  onPid?: (pid: number) => void,
): Promise<Ending> {
  return new Promise((resolve, reject) => {
    const output = request.outputToError === true ? 2 : 'inherit';
    const isHere = sampler === undefined || isStartable(program);
    const [file, given] = sampler !== undefined && isHere ? gated(program, args) : [program, args];
    const child = spawn(file, [...given], {
      stdio: ['inherit', output, 'inherit', ...(sampler !== undefined && isHere ? (['pipe'] as const) : [])],
      env,
    });
    child.on('error', (error: NodeJS.ErrnoException) => {
      reject(
        new VenturiError('VENTURI_PROGRAM_NOT_FOUND', `${program} cannot be started: ${error.message}.`, {
          remedy:
            error.code === 'ENOENT'
              ? `Is it installed and on PATH? To record a script: venturi record -- python3 ${program}`
              : 'Try the command by itself first.',
          cause: error,
        }),
      );
    });
    child.on('exit', (code, signal) => {
      request.onEnd?.();
      resolve({ code, signal });
    });
    if (child.pid !== undefined) onPid?.(child.pid);
    request.onStart?.({ folder, kill: signal => child.kill(signal) });
    if (sampler !== undefined && isHere) void sampler.attach(child);
  });
}

/** The facts that are known only now: what the lanes say about the program's loaders. */
async function readBack(folder: string) {
  const run = openRun(folder);
  const fold = new BatchFold();
  await foldRecords(run.records(), [fold]);
  const facts = fold.result();
  const summary = summariseBatches(facts, machineOf(run.manifest).coresUsable);
  const { python, torch } = summary;
  const runtime = [...(python === undefined ? [] : [`python ${python}`]), ...(torch ? [`torch ${torch}`] : [])].join(
    ', ',
  );
  return {
    batches: summary.loaders.reduce((sum, loader) => sum + loader.batches, 0),
    graph: loaderGraph(summary),
    runtime: runtime === '' ? undefined : runtime,
    machine: missingCosts(facts),
  };
}

/** What a forecast from this recording would have to guess. */
function missingCosts({ process: program, batches }: BatchFacts): CostsRequest | undefined {
  if (!program?.executable) return undefined;
  const known = batches.filter(({ bytes }) => bytes > 0);
  return {
    python: program.executable,
    bytes: known.length === 0 ? undefined : Math.max(...known.map(({ bytes }) => bytes)),
    // A pool helps nobody but a consumer that prepares its batches itself.
    threads: known.some(({ preparer, consumer }) => preparer === consumer) ? (program.threads ?? 1) : 1,
  };
}

/** What programs end with that heed Ctrl-C or a polite kill. */
const INTERRUPTED = [constants.signals.SIGINT, constants.signals.SIGTERM].map(statusOfSignal);

function endingOf(exitCode: number, signal: NodeJS.Signals | null) {
  if (exitCode === 0) return { status: 'completed' } as const;
  if (INTERRUPTED.includes(exitCode)) return { status: 'interrupted' } as const;
  const message = signal === null ? `The program exited with ${exitCode}.` : `The program was ended by ${signal}.`;
  return { status: 'failed', error: { code: 'VENTURI_PROGRAM_FAILED', message } } as const;
}

/** `train.py` is recorded as `train`, the next time as `train-2`. */
export function freeName(command: readonly string[]): string {
  const script = command.find(word => /\.py$/.test(word)) ?? command[0] ?? '';
  return unusedName(basename(script).replace(/\.\w+$/, '') || 'recording');
}
