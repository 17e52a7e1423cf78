import { join } from 'node:path';

/** Where a cache is on disk, and what it was made from. */
export interface DiskCache {
  readonly folder: string;
  /** Names its file. */
  readonly key: string;
  /** The files that its sources read, as they were when the run began. */
  readonly files: string;
  /** It is there and whole: nothing upstream is needed. */
  readonly whole: boolean;
}

export const pathOf = ({ folder, key }: Pick<DiskCache, 'folder' | 'key'>): string => join(folder, `${key}.cache`);
