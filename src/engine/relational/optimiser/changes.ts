/** What a pass of the optimiser has done to a plan. */
export interface Change {
  readonly pass: string;
  /** The label of the operator that was moved or changed. */
  readonly operator: string;
  readonly what: string;
}

export type Log = (operator: string, what: string) => void;
