import { FileReader } from '../input/file-reader.ts';
import { InputFile } from '../input/input-file.ts';

/** Addresses one after the other. */
export interface Urls {
  next(): string | undefined;
  /** Share of them that was given, 0 to 1. */
  done(): number;
  close(): void;
}

/**
 * The addresses in a manifest: a line each; blank lines and those that begin with # say nothing. A file is read as far as
 * needed; what came over the network is there already, as `whole`.
 */
export function manifestUrls(path: string, whole: Uint8Array | undefined): Urls {
  const file = whole === undefined ? new FileReader(new InputFile(path)) : undefined;
  const size = whole?.length ?? file?.size ?? 0;
  const decoder = new TextDecoder();
  let rest = '';
  let waiting: string[] = [];
  let given = whole;
  let read = 0;
  let ended = false;

  const more = (): void => {
    const piece = file?.next() ?? given ?? new Uint8Array();
    given = undefined;
    read = file?.stored ?? piece.length;
    ended = piece.length === 0;
    const lines = (rest + decoder.decode(piece, { stream: !ended })).split('\n');
    rest = ended ? '' : (lines.pop() ?? '');
    waiting = lines
      .map(line => line.trim())
      .filter(line => line !== '' && !line.startsWith('#'))
      .reverse();
  };

  return {
    next() {
      while (waiting.length === 0 && !ended) more();
      return waiting.pop();
    },
    done: () => (waiting.length > 0 || !ended ? Math.min(1, read / Math.max(1, size + 1)) : 1),
    close: () => file?.close(),
  };
}
