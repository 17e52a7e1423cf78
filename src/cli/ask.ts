import { createInterface } from 'node:readline/promises';

/** A function that asks a question and resolves to the typed line; undefined unless both streams are terminals. */
export function askAt(
  input: NodeJS.ReadStream,
  output: NodeJS.WriteStream,
): ((question: string, signal: AbortSignal) => Promise<string>) | undefined {
  if (!input.isTTY || !output.isTTY) return undefined;
  return async (question, signal) => {
    // Without raw mode: Ctrl-C has to reach the process as a signal.
    const lines = createInterface({ input, output, terminal: false });
    try {
      return await Promise.race([
        lines.question(question, { signal }),
        // Ctrl-D ends the input.
        new Promise<string>(resolve => lines.once('close', () => resolve(''))),
      ]);
    } finally {
      lines.close();
    }
  };
}
