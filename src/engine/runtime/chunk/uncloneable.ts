import { serialize } from 'node:v8';
import { VenturiError } from '../../../model/errors.ts';
import { Describer } from './description.ts';
import { Refusal } from './refusal.ts';

/** A value could not be written; whose part it is in the chunk is not known yet. */
export class CloneFailure extends Error {
  constructor(cause: unknown) {
    super('A value cannot be cloned.', { cause });
  }
}

/** The same where only what is refused says why; undefined: nothing is. */
export function refusedAmong(values: readonly unknown[], from: number, to: number): VenturiError | undefined {
  for (let i = from; i < to; i++) {
    const refusal = refusalOf(values[i]);
    if (refusal !== undefined) return because(i - from, refusal);
  }
  return undefined;
}

/** Finds the first element that cannot cross to another thread and says where in it the trouble is. */
export function uncloneable(values: readonly unknown[], from: number, to: number, cause: unknown): VenturiError {
  const refused = refusedAmong(values, from, to);
  if (refused !== undefined) return refused;
  let i = from;
  while (i < to - 1 && isFlat(values[i])) i++;
  return because(i - from, cause);
}

function because(at: number, cause: unknown): VenturiError {
  const problem = `Element ${at} of a chunk cannot be sent to another thread`;
  if (cause instanceof Refusal) {
    return new VenturiError('VENTURI_NOT_CLONEABLE', `${problem}: ${cause.message}.`, {
      remedy: remedyFor(cause.type),
      cause,
    });
  }
  if (cause instanceof RangeError) {
    const remedy = 'Return flatter data, for instance a list instead of a chain of objects.';
    return new VenturiError('VENTURI_NOT_CLONEABLE', `${problem}: it is nested too deeply.`, { remedy, cause });
  }
  const why = cause instanceof Error ? cause.message : 'V8 refuses it';
  return new VenturiError('VENTURI_NOT_CLONEABLE', `${problem}: ${why}`, { remedy: remedyFor(''), cause });
}

/** Why a value cannot travel; undefined: nothing speaks against it. */
function refusalOf(value: unknown): Refusal | undefined {
  try {
    new Describer().describe(value);
    return undefined;
  } catch (error) {
    if (error instanceof Refusal) return error;
    // Too deep to be described; V8 has the last word.
    return undefined;
  }
}

function isFlat(value: unknown): boolean {
  try {
    serialize(value);
    return true;
  } catch (error) {
    return !(error instanceof RangeError);
  }
}

const PLAIN = new Set(['function', 'symbol', 'getter', 'setter']);

function remedyFor(type: string): string {
  if (type === 'Promise') return 'Declare the function async so that the engine awaits it.';
  if (type === 'memory') return 'Return what still has its memory: transfer a copy, made by slice().';
  const plain = 'Return plain data, or what else can travel (see "What elements may be" in docs/engine.md)';
  if (PLAIN.has(type)) return `${plain}.`;
  return `${plain}; or give its class a codec with defineCodec().`;
}
