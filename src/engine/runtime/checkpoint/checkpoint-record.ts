import { deserialize } from 'node:v8';
import { VenturiError } from '../../../model/errors.ts';
import type { Checkpoint, CheckpointInput, CheckpointOperator, CheckpointPosition } from '../../contract/checkpoint.ts';
import type { Position } from '../books/position.ts';
import { readState, writeState } from '../chunk/index.ts';
import { digest } from './checkpoint-identity.ts';
import type { InputStart, OperatorStart, RecoveryLine } from './journal-entry.ts';

const FORMAT = 'venturi.checkpoint';
const VERSION = 2;
/** States as `v8.serialize` has them. */
const BEFORE_CODECS = 1;
const THIS = 'what was given to resume from';

/** A checkpoint from what is known of the run and the line it goes on from. */
export function sealed(
  facts: Omit<Checkpoint, 'format' | 'version' | 'operators' | 'consumer' | 'digest'>,
  line: RecoveryLine,
): Checkpoint {
  const record = {
    format: FORMAT,
    version: VERSION,
    ...facts,
    // As JSON will have them.
    params: JSON.parse(JSON.stringify(facts.params)) as Checkpoint['params'],
    operators: Object.fromEntries(Object.entries(line.operators).map(([id, start]) => [id, writeStart(start)])),
    consumer: writeInput(line.consumer),
  } as const;
  return { ...record, digest: digestOf(record) };
}

/** A checkpoint that came from outside, and the line in it. */
export interface Unsealed {
  readonly checkpoint: Checkpoint;
  readonly line: RecoveryLine;
}

export function unsealed(given: unknown): Unsealed {
  const checkpoint = checked(given);
  try {
    const operators = Object.fromEntries(
      Object.entries(checkpoint.operators).map(([id, operator]) => [id, readStart(operator, checkpoint.version)]),
    );
    return { checkpoint, line: { operators, consumer: readInput(checkpoint.consumer) } };
  } catch (cause) {
    if (cause instanceof VenturiError) throw cause;
    throw damaged(THIS, `what its operators kept cannot be read by V8 ${process.versions.v8}`, cause);
  }
}

/** Given back as it came, if it is whole. */
export function checked(given: unknown): Checkpoint {
  if (typeof given !== 'object' || given === null) throw damaged(THIS, 'it is no object');
  const { digest: written, ...record } = given as Checkpoint;
  if (record.format !== FORMAT) throw damaged(THIS, 'it does not say that it is one');
  if (record.version > VERSION) {
    throw new VenturiError(
      'VENTURI_CHECKPOINT_TOO_NEW',
      `the checkpoint has version ${record.version}, and this is Venturi for version ${VERSION}`,
      { remedy: 'resume it with the Venturi that saved it, or a later one' },
    );
  }
  if (digestOf(record) !== written) throw damaged(THIS, 'it is not what was saved');
  return given as Checkpoint;
}

export const damaged = (which: string, what: string, cause?: unknown): VenturiError =>
  new VenturiError('VENTURI_CHECKPOINT_UNREADABLE', `${which} is not a whole checkpoint: ${what}`, {
    cause,
    remedy: 'take an earlier one, or start from the beginning',
  });

const digestOf = (record: object): string => digest(JSON.stringify(sorted(record)));

/** Whoever wrote it out may have put the keys in another order. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, item]) => [key, sorted(item)]),
  );
}

const writePosition = ({ epoch, index }: Position): CheckpointPosition => [epoch, index];
const readPosition = ([epoch, index]: CheckpointPosition): Position => ({ epoch, index });

const writeInput = ({ from, until }: InputStart): CheckpointInput => ({
  from: writePosition(from),
  until: writePosition(until),
});
const readInput = ({ from, until }: CheckpointInput): InputStart => ({
  from: readPosition(from),
  until: readPosition(until),
});

const writeStart = ({ out, inputs, state }: OperatorStart): CheckpointOperator => ({
  out: writePosition(out),
  inputs: inputs.map(writeInput),
  ...(state !== undefined && { state: Buffer.from(state).toString('base64') }),
});

function readStart({ out, inputs, state }: CheckpointOperator, version: number): OperatorStart {
  const bytes = state === undefined ? undefined : new Uint8Array(Buffer.from(state, 'base64'));
  return { out: readPosition(out), inputs: inputs.map(readInput), state: bytes && readBytes(bytes, version) };
}

/** It is read here as well, so that what cannot be is known before anything starts. */
function readBytes(bytes: Uint8Array, version: number): Uint8Array {
  if (version === BEFORE_CODECS) return writeState(deserialize(bytes));
  readState(bytes);
  return bytes;
}
