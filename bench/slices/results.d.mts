export class Results<T extends object = Readonly<Record<string, unknown>>> {
  constructor(file: string | undefined, asked?: object);
  readonly all: readonly T[];
  add(result: T): void;
}

export function turnsLeft<S>(
  sides: readonly S[],
  rounds: number,
  done: (side: S) => number,
): { readonly side: S; readonly round: number }[];

export class Slice {
  constructor(minutes: number, now?: () => number);
  each<T>(list: readonly T[], work: (one: T) => void | Promise<void>): Promise<readonly T[]>;
}
