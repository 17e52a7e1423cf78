import { createInterface } from 'node:readline/promises';

/** Asks at a terminal, and answers with the line that was typed. Undefined where either end is none. */
export function askAt(
  input: NodeJS.ReadStream,
  output: NodeJS.WriteStream,
): ((question: string, signal: AbortSignal) => Promise<string>) | undefined {
  if (!input.isTTY || !output.isTTY) return undefined;
  return async (question, signal) => {
    // The terminal stays as it is: Ctrl-C is to reach the process.
    const lines = createInterface({ input, output, terminal: false });
    try {
      return await Promise.race([
        lines.question(question, { signal }),
        // Ctrl-D: the end of what will ever be typed.
        new Promise<string>(resolve => lines.once('close', () => resolve(''))),
      ]);
    } finally {
      lines.close();
    }
  };
}
