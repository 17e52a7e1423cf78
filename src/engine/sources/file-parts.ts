import { ByteWindow } from '../../io/input/byte-window.ts';
import type { Recognise } from '../../io/input/compression.ts';
import { entryOf } from '../../io/input/file-entry.ts';
import { InputFile } from '../../io/input/input-file.ts';
import { VenturiError } from '../../model/errors.ts';
import { PART_BYTES, type Part } from '../contract/source.ts';

/** An element that may be the first of a part. */
export interface Cut {
  /** The byte at which it begins. */
  readonly offset: number;
  /** What its file's elements are given to begin there. */
  readonly position: unknown;
}

/** A format of files, as far as they can be cut. */
export interface CutFormat {
  /** Left out: by the file's first bytes. */
  readonly recognise?: Recognise;
  /**
   * The elements of a file that can be read without those before them, in their order, found without reading all of it. What is
   * damaged ends them, or throws: whoever reads that far says so. Left out: only who has read the one before knows where the next is.
   */
  cuts?(window: ByteWindow): Iterable<Cut>;
}

/** The elements of a file that begin from one position on and before a byte. */
export interface FilePart extends Part {
  readonly path: string;
  /** Undefined: at the beginning. */
  readonly from: unknown;
  readonly to: number;
}

/** Files cut where their format allows it. Whoever reads the last part of a file reads to its end, and finds whatever is wrong there. */
export function* partsOf(paths: readonly string[], format: CutFormat): Iterable<FilePart> {
  const entries = paths.map(entryOf);
  const total = Math.max(
    1,
    entries.reduce((sum, { size }) => sum + size, 0),
  );
  let before = 0;
  for (const { path, size } of entries) {
    let from: unknown;
    for (const { offset, position } of cutsOf(path, format)) {
      yield { path, from, to: offset, done: (before + offset) / total };
      from = position;
    }
    before += size;
    yield { path, from, to: Number.POSITIVE_INFINITY, done: before / total };
  }
}

function* cutsOf(path: string, { recognise, cuts }: CutFormat): Iterable<Cut> {
  const file = new InputFile(path, recognise);
  try {
    // Where anything lies in what is compressed only those know who have inflated what comes before.
    if (file.remaining === undefined || cuts === undefined) return;
    let last = 0;
    for (const cut of cuts(new ByteWindow(file))) {
      if (cut.offset - last < PART_BYTES) continue;
      last = cut.offset;
      yield cut;
    }
  } catch (error) {
    if (!(error instanceof VenturiError)) throw error;
  } finally {
    file.close();
  }
}
