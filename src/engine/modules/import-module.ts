import { caught, describeThrown, messageOf, nameOf, stackOf } from '../../errors/thrown.ts';
import { VenturiError } from '../../model/errors.ts';

/** A failure says in which file, and that it happened at import. */
export async function importModule(url: string, path: string): Promise<{ readonly default?: unknown }> {
  try {
    return (await import(url)) as { readonly default?: unknown };
  } catch (thrown) {
    const error = caught(thrown);
    if (error instanceof VenturiError) throw error;
    const message = error instanceof Error ? messageOf(error) : describeThrown(error);
    if (error instanceof Error && nameOf(error) === 'SyntaxError') {
      const where =
        stackOf(error)
          ?.split('\n')[0]
          ?.replace(/^file:\/\//, '') ?? path;
      throw new VenturiError('VENTURI_PIPELINE_SYNTAX', `${where}: ${message}`, {
        cause: error,
        remedy: 'correct the file; nothing was run',
      });
    }
    throw new VenturiError('VENTURI_PIPELINE_IMPORT', `${path} failed while it was imported: ${message}`, {
      cause: error,
      remedy: 'see the stack trace of the cause; a pipeline file should only define its pipeline',
    });
  }
}
