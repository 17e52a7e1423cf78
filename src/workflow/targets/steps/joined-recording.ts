import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { breakdowns } from '../../../analysis/steps/breakdown.ts';
import { entryAt } from '../../../files/entry.ts';
import { mean } from '../../../math/statistics.ts';
import { highest } from '../../../math/totals.ts';
import { VenturiError } from '../../../model/errors.ts';
import type { StepTrace } from '../../../model/step-trace.ts';
import { bytes, type Ns, ns } from '../../../model/units.ts';
import { calibrated } from '../../../prediction/loader/calibrate.ts';
import { forecastLoader } from '../../../prediction/loader/forecast.ts';
import type { LoaderProfile } from '../../../prediction/loader/profile.ts';
import { copiedToDevice } from '../../../prediction/replay/input-profile.ts';
import type { InputPipeline } from '../../../prediction/scaleout/cluster.ts';
import type { JoinedRecording } from '../../../report/results/input-prediction.ts';
import { unknownName } from '../../refusals.ts';
import { loaderProfile } from '../pytorch/predict.ts';
import { readProgram } from '../pytorch/read-batches.ts';

/** A loader of a recording, with what a trace of the same job says of its steps. */
export interface JoinedProfile {
  readonly profile: LoaderProfile;
  readonly joined: JoinedRecording;
}

/** The one recording in a folder of traces, if there is one. */
export function recordingBeside(path: string): string | undefined {
  if (entryAt(path)?.isDirectory() !== true) return undefined;
  const found = readdirSync(path, { withFileTypes: true })
    .filter(entry => entry.isDirectory() && entry.name.endsWith('.venturi'))
    .map(({ name }) => name);
  const [only, ...others] = found;
  if (others.length === 0) return only === undefined ? undefined : join(path, only);
  throw new VenturiError('VENTURI_USAGE', `${path} holds several recordings: ${found.join(', ')}.`, {
    remedy: `Say which is of the job that was profiled: --recording ${join(path, found[0] ?? '')}`,
  });
}

/**
 * A recording tells how batches are prepared, on how many cores, and how long the host takes for a step without a profiler; a trace, for how long the
 * device works on a step, which a recording knows only where it timed devices.
 */
export async function joinRecording(
  recording: string,
  trace: StepTrace | undefined,
  wanted: string | undefined,
): Promise<JoinedProfile> {
  const program = await readProgram(recording);
  const { loaders } = program.summary;
  const loader =
    wanted === undefined ? highest(loaders, each => each.batches) : loaders.find(({ name }) => name === wanted);
  if (loader === undefined) {
    throw unknownName(
      `This run has no loader '${wanted}'.`,
      loaders.map(({ name }) => name),
    );
  }
  const recorded = loaderProfile(program, loader);
  if (recorded === undefined) {
    throw new VenturiError('VENTURI_RUN_EMPTY', `Too few batches were recorded in ${recording} to forecast from.`, {
      remedy: 'Record more of them: venturi record --batches 200 -- COMMAND',
    });
  }
  const isTimed = recorded.steps.some(({ device }) => device > 0);
  const device = trace === undefined ? ns(0) : deviceTime(trace);
  const steps = isTimed ? recorded.steps : recorded.steps.map(step => ({ ...step, device }));
  return {
    profile: isTimed || device === 0 ? recorded : calibrated({ ...recorded, steps }),
    joined: {
      name: program.run.manifest.name,
      folder: program.run.folder,
      loader: loader.name,
      device: isTimed ? undefined : device,
      batchBytes: bytes(recorded.batchBytes),
      copiedBytes: bytes(trace === undefined ? Number.NaN : copiedToDevice(trace, 0)),
    },
  };
}

/**
 * What the loader of a recording delivers to one worker that takes every batch at once. Undefined without processes of its own: a trace then has the preparation
 * in its steps.
 */
export async function deliveredInput(
  recording: string,
  loader: string | undefined,
): Promise<InputPipeline | undefined> {
  const { profile } = await joinRecording(recording, undefined, loader);
  const { setting, batchSize, ranks } = profile;
  if (setting.workers === 0) return undefined;
  const { steady } = forecastLoader(profile, setting, { step: ns(0) });
  return { rate: steady.estimate / (batchSize * ranks), buffer: setting.workers * setting.prefetch };
}

/** Mean time for which the device of the first rank computes, communicates or copies in a step; 0 where there is none. */
function deviceTime(trace: StepTrace): Ns {
  if (!trace.resources.some(({ kind, rank }) => kind === 'device' && rank === 0)) return ns(0);
  return ns(
    mean((breakdowns(trace)[0] ?? []).map(({ compute, communication, copy }) => compute + communication + copy)),
  );
}
