import type { RunManifest } from '../../model/run.ts';
import { engineTarget } from './engine/target.ts';
import { pytorchRecorder } from './pytorch/recorder.ts';
import { pytorchTarget } from './pytorch/target.ts';
import { pytorchTuner } from './pytorch/tuner.ts';
import { stepsTarget } from './steps/target.ts';
import type { ForeignFiles, Recorder, Target, Tuner } from './target.ts';

/** The targets there are. A new one needs a folder beside theirs and a line here. */
export const TARGETS: readonly Target[] = [pytorchTarget, engineTarget, stepsTarget];

/** The target whose probe wrote a run; where nobody knows it, its operators are judged as those of our engine. */
export const targetOf = (manifest: RunManifest): Target =>
  TARGETS.find(target => target.recognises(manifest)) ?? engineTarget;

/** The target of several runs; where they are of different ones, only their operators can be compared. */
export function targetOfAll(manifests: readonly RunManifest[]): Target {
  const [first = engineTarget, ...others] = new Set(manifests.map(targetOf));
  return others.length === 0 ? first : engineTarget;
}

/** The target that reads what lies at each of some paths, which is no recording; undefined where none reads all of them. */
export const readerOf = (paths: readonly string[]): (Target & { readonly files: ForeignFiles }) | undefined =>
  TARGETS.find(
    (target): target is Target & { readonly files: ForeignFiles } =>
      target.files !== undefined && paths.every(path => target.files?.recognises(path)),
  );

/** Whatever a command is, it may start a Python that uses PyTorch. */
export const recorderOf = (command: readonly string[]): Recorder =>
  TARGETS.flatMap(({ recorder }) => recorder ?? []).find(each => each.starts(command)) ?? pytorchRecorder;

export const tunerOf = (command: readonly string[]): Tuner =>
  TARGETS.flatMap(({ tuner }) => tuner ?? []).find(each => each.starts(command)) ?? pytorchTuner;
