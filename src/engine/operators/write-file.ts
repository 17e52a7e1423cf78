import { FileOutput } from '../../io/storage/write-file.ts';
import type { Operator } from './defined.ts';
import { JsonLines } from './json-line.ts';

/** Lines go to the file this many characters at a time. */
const PIECE = 1 << 16;

/** How the lines of one pass are made. */
export interface LineFormat<T> {
  /** What stands before the first line, with its line end. */
  readonly head?: string;
  readonly line: (element: T) => string;
  readonly warnings?: readonly string[];
}

/** A file of a pass's elements, a line each. It takes its name at the end of the pass; a pass without end leaves none. */
export const lineFile = <T>(
  kind: string,
  settings: Readonly<Record<string, unknown>> & { readonly path: string },
  begin: () => LineFormat<T>,
): Operator<T, never> => ({
  kind,
  settings,
  sink: true,
  harmless: true,
  open(worker) {
    const format = begin();
    const { head = '', line } = format;
    const file = new FileOutput(settings.path, worker);
    let piece = head;
    return {
      element(value) {
        piece += `${line(value)}\n`;
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
      warnings: () => format.warnings ?? [],
    };
  },
});

export const linesTo = (path: string): Operator<string, never> =>
  lineFile('writeLines', { path }, () => ({ line: text => text }));

export const jsonlTo = (path: string): Operator<unknown, never> =>
  lineFile('writeJsonl', { path }, () => new JsonLines());
