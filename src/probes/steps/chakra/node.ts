/** A node of a Chakra execution trace, whichever encoding it came in. */
export interface ChakraNode {
  readonly id: number;
  readonly name: string;
  readonly type: ChakraType;
  /**
   * Nodes it waits for. Those are `data_deps`: `ctrl_deps` name the operator that called it, and neither Chakra's own feeder nor
   * its converter lets a node wait for them.
   */
  readonly waitsFor: readonly number[];
  /** µs; undefined where the trace does not say. */
  readonly start: number | undefined;
  /** µs. */
  readonly duration: number;
  /** Whether it ran on the host; undefined where the trace does not say, as those that were made by hand. */
  readonly isOnHost: boolean | undefined;
  readonly thread: string | undefined;
  readonly stream: string | undefined;
  /** Position in `COLLECTIVES`. */
  readonly collective: number | undefined;
  readonly bytes: number | undefined;
  /** Name of the process group. */
  readonly group: string | undefined;
}

/** Types of nodes by their numbers in et_def.proto, which has them as `COMP_NODE` and so on. */
export const CHAKRA_TYPES = [
  'INVALID',
  'METADATA',
  'MEM_LOAD',
  'MEM_STORE',
  'COMP',
  'COMM_SEND',
  'COMM_RECV',
  'COMM_COLL',
  'STORAGE',
  'BATCH',
  'CHECKPOINT',
] as const;
export type ChakraType = (typeof CHAKRA_TYPES)[number];

/** Collective operations by their numbers there. */
export const COLLECTIVES = [
  'allreduce',
  'reduce',
  'allgather',
  'gather',
  'scatter',
  'broadcast',
  'alltoall',
  'reduce_scatter',
  'reduce_scatter',
  'barrier',
] as const;

type Scalar = string | number | boolean;

/** Attributes of a node by name, those with a single value. */
export type Attributes = ReadonlyMap<string, Scalar>;

type Timed = Pick<ChakraNode, 'id' | 'name' | 'type' | 'waitsFor' | 'start' | 'duration'>;

export function nodeWith(timed: Timed, attributes: Attributes): ChakraNode {
  const isOnHost = attributes.get('is_cpu_op');
  return {
    ...timed,
    isOnHost: isOnHost === undefined ? undefined : Boolean(isOnHost),
    thread: textOf(attributes.get('tid')),
    stream: textOf(attributes.get('stream')),
    collective: wholeOf(attributes.get('comm_type')),
    bytes: wholeOf(attributes.get('comm_size')),
    group: textOf(attributes.get('pg_name')),
  };
}

const textOf = (value: Scalar | undefined): string | undefined => (value === undefined ? undefined : String(value));

/** A whole number, also as text: protobuf's JSON writes 64 bits so. */
function wholeOf(value: Scalar | undefined): number | undefined {
  const number = typeof value === 'string' && /^\d{1,19}$/.test(value) ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) && number >= 0 ? number : undefined;
}
