interface Counted {
  readonly name: string;
  readonly batches: number;
  readonly elements: number;
}

export function comparedCounts(
  stdout: string,
  loaders: readonly Counted[],
): readonly { readonly isExact: boolean; readonly told: string }[];
