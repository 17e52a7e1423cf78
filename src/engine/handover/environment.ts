import { getEnvironmentData, setEnvironmentData } from 'node:worker_threads';

/** What every thread of a process knows that hands its batches over. */
export interface Handover {
  /** The pipeline: what threads import, and the file its author wrote. */
  readonly url: string;
  readonly path: string;
  readonly pool: SharedArrayBuffer;
  /** Descriptors of the slots' files. They are the process's: every thread may write to them. */
  readonly files: readonly number[];
}

const KEY = 'venturi.handover';

/** For threads that are started from now on, and this one. */
export const announceHandover = (handover: Handover): void => setEnvironmentData(KEY, handover as never);

export function handover(): Handover {
  const announced: unknown = getEnvironmentData(KEY);
  if (announced === undefined) throw new Error('no batches are handed over in this process');
  return announced as Handover;
}
