/**
 * What an operator does, in one word of the library it comes from: `map`, `ParallelInterleaveV4`, `KeyedProcess`. Good for printing
 * alone: to the compiler it is no text, so that nobody outside a probe can decide by it. What an operator is, its traits say.
 */
export interface Kind {
  readonly opaque: 'the kind of an operator';
}

/** The kind of this name, for code that builds graphs: the engine and the probes. */
export const kindNamed = (text: string): Kind => text as unknown as Kind;

/** The kind's name, for printing. */
export const kindText = (kind: Kind): string => kind as unknown as string;
