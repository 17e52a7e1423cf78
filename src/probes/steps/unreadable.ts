import { VenturiError } from '../../model/errors.ts';
import { MalformedJson } from './chrome/json-bytes.ts';

/** A file that is none of the formats, or cannot be had. */
export const unreadableSteps = (path: string, why: string): VenturiError =>
  new VenturiError('VENTURI_STEPS_UNREADABLE', `${path} cannot be read as a trace of training steps: ${why}.`, {
    remedy:
      'Give what torch.profiler exported with prof.export_chrome_trace("trace.json"), or another of the formats in docs/steps.md, whole: copy it again if it was cut.',
  });

/** A file that is not, or not wholly, what it was taken for. */
export const unreadable = (file: string, what: string, why: string, remedy: string, cause?: unknown): VenturiError =>
  new VenturiError('VENTURI_STEPS_UNREADABLE', `${file} is not a whole ${what}: ${why}.`, { remedy, cause });

/** Reads something; where it fails as readers of formats do, the file is not whole. */
export function reading<T>(file: string, what: string, remedy: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    const isDamage =
      error instanceof RangeError ||
      error instanceof MalformedJson ||
      (error instanceof VenturiError && error.code === 'VENTURI_BAD_RECORD');
    if (!isDamage) throw error;
    throw unreadable(file, what, error.message, remedy, error);
  }
}
