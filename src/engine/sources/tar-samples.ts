import type { ByteWindow } from '../../io/input/byte-window.ts';
import type { Pipeline } from '../description/pipeline.ts';
import type { Cut } from './file-parts.ts';
import { fileSource } from './file-source.ts';
import { type FileElements, filesInTurn } from './files-in-turn.ts';
import type { FileSourceOptions } from './loss-policy.ts';
import { TarFiles } from './tar.ts';

/** The files of one sample by their endings: `a/0001.jpg` and `a/0001.cls` are `{ __key__: 'a/0001', jpg, cls }`. */
export type Sample<Field extends string = string> = { readonly __key__: string } & {
  readonly [field in Field]: Uint8Array;
};

/**
 * The samples of WebDataset shards: files that follow one another in a tar archive and share a name up to its first dot.
 * Endings are in lower case; files without one and those named `__…__` are passed over.
 */
export function webdataset<Field extends string = string>(
  paths: string | readonly string[],
  options: FileSourceOptions = {},
): Pipeline<Sample<Field>> {
  const begin = () => ({ open: (window: ByteWindow, from: unknown) => new Samples(new TarFiles(window, from)) });
  return fileSource('webdataset', paths, options, filesInTurn({ begin, cuts }));
}

const KEY_AND_FIELD = /^((?:.*\/)?[^./][^./]*)\.([^/]+)$/;
const META = /^__[^/]*__(?:$|\/)/;

/** The sample to which a file belongs, and as what; undefined where it belongs to none. */
function sampleOf(path: string): { readonly key: string; readonly field: string } | undefined {
  const [, key, ending] = KEY_AND_FIELD.exec(path) ?? [];
  if (key === undefined || ending === undefined || META.test(path)) return undefined;
  const field = ending.toLowerCase();
  return META.test(field) ? undefined : { key, field };
}

/** A sample begins with the first file of another key. That one must be whole: with it the sample before it is handed out. */
function* cuts(window: ByteWindow): Iterable<Cut> {
  const files = new TarFiles(window);
  let current: string | undefined;
  let begun: Cut | undefined;
  for (let path = files.next(); ; path = files.next()) {
    if (begun !== undefined) yield begun;
    begun = undefined;
    if (path === undefined) return;
    const key = sampleOf(path)?.key;
    if (key === undefined || key === current) continue;
    current = key;
    begun = { offset: files.start, position: files.start };
  }
}

type Fields = Record<string, string | Uint8Array>;

class Samples implements FileElements {
  readonly #files: TarFiles;
  #sample: Fields | undefined;
  /** Where it begins. */
  #begun = 0;

  constructor(files: TarFiles) {
    this.#files = files;
  }

  read(into: unknown[], limit: number): number {
    let read = 0;
    while (read < limit) {
      const sample = this.#next();
      if (sample === undefined) break;
      into.push(sample);
      read++;
    }
    return read;
  }

  position(): number {
    return this.#sample === undefined ? this.#files.position() : this.#begun;
  }

  /** The next sample: it is whole when a file with another key comes, or none. */
  #next(): Fields | undefined {
    for (;;) {
      const path = this.#files.next();
      const sample = this.#sample;
      if (path === undefined) {
        this.#sample = undefined;
        return sample;
      }
      const { key, field } = sampleOf(path) ?? {};
      if (key === undefined || field === undefined) continue;
      if (sample?.__key__ === key) {
        if (Object.hasOwn(sample, field)) this.#files.fail(`is the second '${field}' of its sample`, 'pack it once');
        sample[field] = this.#files.bytes();
        continue;
      }
      this.#begun = this.#files.start;
      this.#sample = { __key__: key, [field]: this.#files.bytes() };
      if (sample !== undefined) return sample;
    }
  }
}
