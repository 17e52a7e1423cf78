/** Whom a sample belongs to. */
export type Owner = OperatorOwner | SharedOwner | EngineOwner | RuntimeOwner;

export interface OperatorOwner {
  readonly kind: 'operator';
  readonly operator: string;
  readonly task: string;
  /** Number of the generated line; absent where the sample lies in what that line calls. */
  readonly line?: number;
  /** How it was found: by its line alone; by the function it lies in; by the functions on its stack. */
  readonly by: 'line' | 'function' | 'stack';
  /** Of an operator of a query: the operator whose function ran the query. */
  readonly within?: string;
  /** Of a line that computes something for several operators: all of them. This one has its equal part of the line. */
  readonly among?: readonly string[];
}

/** An operator, and what it does. */
export interface TaskOwner {
  readonly operator: string;
  readonly task: string;
}

/** A generated line that computes something for several tasks, all of which would need it without the others: each has an equal part of its samples. */
export interface JointOwner {
  readonly kind: 'joint';
  readonly tasks: readonly TaskOwner[];
  readonly line: number;
  readonly within?: string;
}

/** Code that several operators call, and the stack does not say for which. */
export interface SharedOwner {
  readonly kind: 'shared';
  readonly operators: readonly string[];
}

/** The engine's own work around the operators. */
export interface EngineOwner {
  readonly kind: 'engine';
  readonly task: string;
  readonly line?: number;
  /** The operator whose code comes next in the same turn of the loop. */
  readonly before?: string;
}

/** What is neither: V8's own work, code that V8 does not see into, a thread that waits, code outside of every lane's work. */
export interface RuntimeOwner {
  readonly kind: 'collection' | 'compilation' | 'native' | 'idle' | 'outside';
}
