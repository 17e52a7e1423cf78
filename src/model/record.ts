/**
 * The record format: 24 bytes, little-endian, the same for every writer in every language.
 *
 *   0  start     u64  ns on the lane's clock
 *   8  duration  u48  ns (a u32 would overflow at 4.29 s)
 *  14  kind      u8   written last: it is the commit mark, a reader stops at zero
 *  15  flags     u8
 *  16  operator  u32  subject, numbered by this lane's own dictionary
 *  20  sequence  u32  chunk or batch number, or window number
 *
 * Seen as six u32 words: start low, start high, duration low, duration high | kind << 16 | flags << 24, operator,
 * sequence. A reader skips kinds it does not know.
 */
export const RECORD_BYTES = 24;
export const RECORD_WORDS = 6;
export const KIND_OFFSET = 14;
export const FORMAT_VERSION = 1;

export const RECORD_KIND = {
  /** Not written yet: allocated space. The reader stops here. */
  none: 0,
  /** Part of a dictionary entry: bytes 0-13 hold UTF-8, `operator` the local number, `sequence` the part's index. */
  text: 1,
  /** A subject worked from `start` for `duration` on chunk `sequence`. */
  span: 2,
  /** Continuation of the span before it: `start` holds CPU ns, `duration` the run-queue delay in ns. */
  cpu: 3,
  /** Continuation: `start` holds bytes in, `duration` bytes out. */
  bytes: 4,
  /** Continuation: `start` holds elements in, `duration` elements out. */
  elements: 5,
  /** At `start`, metric `flags` of subject `operator` stood at `duration`. `sequence` numbers the window. */
  counter: 6,
  /** A clock snapshot: at `start` on this lane's clock, clock domain `operator` showed what the next record holds. */
  clock: 7,
  /** Continuation of a clock snapshot: `start` holds that clock's ns. */
  clockValue: 8,
  /** The lane was closed in good order at `start`. */
  end: 9,
  /** One or two short spans inside the span before it, packed: `docs/run-format.md` has the bytes. */
  inner: 10,
  /** Continuation: the batch is task `start` (low half) of process `duration`, in pass `start` (high half). */
  task: 11,
  /** A profiler's hit at `start` in thread `sequence`: `duration` events of the kind numbered `flags` since the one before. */
  sample: 12,
} as const;

/** `flags` of a text record: the entry's last part. */
export const TEXT_LAST = 1;
/** UTF-8 bytes in one text record. */
export const TEXT_BYTES = 14;

export const MAX_U48 = 2 ** 48 - 1;
const U32 = 2 ** 32;

/** Writes one record at word `at`. The word with the kind goes last. */
export function writeRecord(
  words: Uint32Array,
  at: number,
  kind: number,
  flags: number,
  operator: number,
  sequence: number,
  start: number,
  duration: number,
): void {
  const startHigh = Math.floor(start / U32);
  const durationHigh = duration < U32 ? 0 : Math.floor(duration / U32);
  words[at] = start - startHigh * U32;
  words[at + 1] = startHigh;
  words[at + 2] = duration - durationHigh * U32;
  words[at + 4] = operator;
  words[at + 5] = sequence;
  words[at + 3] = durationHigh | (kind << 16) | (flags << 24);
}

/** Keys of subjects in a lane's dictionary: a namespace and a name. */
export const subject = {
  operator: (id: string): string => `operator:${id}`,
  stage: (id: string): string => `stage:${id}`,
  channel: (id: string): string => `channel:${id}`,
  lane: 'lane',
  process: 'process',
  host: 'host',
  clock: (domain: string): string => `clock:${domain}`,
  /** A native function and the file it lies in. */
  symbol: (name: string, module: string): string => `symbol:${name} (${module})`,
  /** One of the slowest elements, by its file or index. */
  element: (name: string): string => `element:${name}`,
  /** What a probe has to say once, as JSON. */
  facts: (json: string): string => `facts:${json}`,
  /** What happens to a batch of a loader: dispatch, arrive, wait, consume, pin; and a whole pass over it. */
  phase: (phase: string, loader: string): string => `${phase}:${loader}`,
} as const;
