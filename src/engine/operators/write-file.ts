import { FileOutput } from '../storage/write-file.ts';
import type { Operator } from './defined.ts';

/** Lines go to the file this many characters at a time. */
const PIECE = 1 << 16;

/** A file of a pass's elements, a line each. It takes its name at the end of the pass; a pass without end leaves none. */
const lineFile = <T>(kind: string, path: string, format: (element: T) => string): Operator<T, never> => ({
  kind,
  settings: { path },
  sink: true,
  harmless: true,
  open(worker) {
    const file = new FileOutput(path, worker);
    let piece = '';
    return {
      element(value) {
        piece += `${format(value)}\n`;
        if (piece.length >= PIECE) {
          file.write(piece);
          piece = '';
        }
        return [];
      },
      end() {
        file.write(piece);
        file.commit();
        return [];
      },
      close: () => file.abandon(),
    };
  },
});

export const linesTo = (path: string): Operator<string, never> => lineFile('writeLines', path, line => line);

export const jsonlTo = (path: string): Operator<unknown, never> => lineFile('writeJsonl', path, jsonOf);

function jsonOf(element: unknown): string {
  const text: string | undefined = JSON.stringify(element);
  if (text === undefined) throw new TypeError(`${typeof element} has no form in JSON`);
  return text;
}
