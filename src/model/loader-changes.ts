/** Arguments of a DataLoader that are to be different, by torch's names. */
export interface LoaderChanges {
  readonly num_workers?: number;
  readonly prefetch_factor?: number;
  readonly pin_memory?: boolean;
  readonly persistent_workers?: boolean;
  /** Changes the order of batches, so it is only ever advised. */
  readonly in_order?: boolean;
}

/** `num_workers=4, prefetch_factor=4`, as Python has it. */
export const changesText = (changes: LoaderChanges): string =>
  Object.entries(changes)
    .map(([name, value]) => `${name}=${pythonLiteral(value)}`)
    .join(', ');

/** Python source of a value. */
export const pythonLiteral = (value: unknown): string =>
  value === true ? 'True' : value === false ? 'False' : value === null ? 'None' : String(value);
