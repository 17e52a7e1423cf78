/** A function, operator or task with those it called; samples of its own and of all below. */
export interface FlameNode {
  readonly name: string;
  /** The operator that owns its samples, where one does. */
  readonly operator?: string | undefined;
  readonly hits: number;
  readonly children: readonly FlameNode[];
}
