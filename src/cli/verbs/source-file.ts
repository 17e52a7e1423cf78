import { VenturiError } from '../../model/errors.ts';

const isSourceFile = (path: string): boolean => /\.[cm]?[jt]sx?$/.test(path);

/** A pipeline may be given where a recording of it belongs: then the failure says how to get the one from the other. */
export async function explainingSources<T>(path: string, verb: string, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (!isSourceFile(path) || !(error instanceof VenturiError) || error.code !== 'VENTURI_RUN_UNREADABLE') throw error;
    throw new VenturiError(error.code, `${path} is a source file, not a recorded run.`, {
      remedy: `Record a run of it first: venturi run ${path} --record first, then venturi ${verb} first.`,
      cause: error,
    });
  }
}
