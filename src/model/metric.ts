/**
 * What a counter record can count. The code is what stands on disk: never renumber, only add.
 *
 * `total` metrics only grow from the start of their lane, so a lost or rotated record loses resolution in time and
 * nothing else; `gauge` metrics are the value at that moment. Values are whole numbers below 2^48.
 */
export interface MetricSpec {
  readonly code: number;
  readonly shape: 'total' | 'gauge';
  readonly unit: 'elements' | 'bytes' | 'ns' | 'µs' | 'chunks' | 'chunk·ns' | 'samples' | 'count' | 'ppm';
}

export const METRICS = {
  // An operator, in one lane
  elementsIn: { code: 1, shape: 'total', unit: 'elements' },
  elementsOut: { code: 2, shape: 'total', unit: 'elements' },
  bytesIn: { code: 3, shape: 'total', unit: 'bytes' },
  bytesOut: { code: 4, shape: 'total', unit: 'bytes' },
  /** Thread CPU. Exact for a stage; for an operator inside a fused stage its share of it, estimated from samples. */
  cpu: { code: 5, shape: 'total', unit: 'ns' },
  /** Elements timed operator by operator inside the fused loop, their summed time, and the sum of squares in µs². */
  sampledElements: { code: 6, shape: 'total', unit: 'samples' },
  sampledTime: { code: 7, shape: 'total', unit: 'ns' },
  sampledSquares: { code: 8, shape: 'total', unit: 'count' },
  /** Chunks finished by the lane. */
  chunks: { code: 9, shape: 'total', unit: 'chunks' },
  /** Random numbers drawn from a generator keyed by seed and element, and from one that nothing can repeat. */
  keyedDraws: { code: 10, shape: 'total', unit: 'count' },
  ambientDraws: { code: 11, shape: 'total', unit: 'count' },
  /** Of a source: how much of all its passes it has read, in millionths. Absent where it does not know its length. */
  sourceDone: { code: 12, shape: 'total', unit: 'ppm' },
  /** Of a source: files read to their end. */
  sourceFiles: { code: 13, shape: 'total', unit: 'count' },
  /** Typed arrays in the elements that left: each takes memory of its own where it arrives. Estimated from samples. */
  arraysOut: { code: 14, shape: 'total', unit: 'count' },
  /** Elements that left and were seen to be such as cannot go to another thread: instances of a class without a codec, functions. Absent: none was. */
  stayingElements: { code: 15, shape: 'total', unit: 'elements' },

  // A lane: the five states
  running: { code: 16, shape: 'total', unit: 'ns' },
  runnable: { code: 17, shape: 'total', unit: 'ns' },
  blocked: { code: 18, shape: 'total', unit: 'ns' },
  starved: { code: 19, shape: 'total', unit: 'ns' },
  backpressured: { code: 20, shape: 'total', unit: 'ns' },
  /** Engine work around the user's functions: encoding, decoding, scheduling. Part of running. */
  overhead: { code: 21, shape: 'total', unit: 'ns' },
  /** Until 0.1: how often a fixed piece of work was timed, and the sum of how often it could have been done in a second. 23 was its time. */
  yardsticks: { code: 22, shape: 'total', unit: 'count' },
  yardstickSpeed: { code: 24, shape: 'total', unit: 'count' },
  /** Pages of memory that the lane touched for the first time (minor page faults). */
  freshPages: { code: 25, shape: 'total', unit: 'count' },

  // An operator, continued
  /** Objects, lists and texts in the elements that left: each is made anew where it arrives. Estimated from samples. */
  objectsOut: { code: 26, shape: 'total', unit: 'count' },

  // A channel
  /** Time-integral of the chunks queued in it; divided by the window it is the mean occupancy. */
  occupancy: { code: 32, shape: 'total', unit: 'chunk·ns' },
  saturated: { code: 33, shape: 'total', unit: 'ns' },
  chunksQueued: { code: 34, shape: 'gauge', unit: 'chunks' },
  /** Time its producers waited for its bandwidth, all together: apart from the time it was full. */
  transport: { code: 35, shape: 'total', unit: 'ns' },
  /** Chunks handed on, each part of a large one counted, and their bytes. */
  chunksHandedOn: { code: 36, shape: 'total', unit: 'chunks' },
  bytesHandedOn: { code: 37, shape: 'total', unit: 'bytes' },
  /** Of these, chunks of a single element, or of the elements of a single batch, that were too large to pass whole: each counted once, their bytes, and the largest. */
  chunksInParts: { code: 38, shape: 'total', unit: 'chunks' },
  bytesInParts: { code: 39, shape: 'total', unit: 'bytes' },
  largestInParts: { code: 40, shape: 'gauge', unit: 'bytes' },

  // Storage, of a lane or of the process
  /** Bytes asked from storage by read calls. */
  storageAsked: { code: 48, shape: 'total', unit: 'bytes' },
  /** Bytes really fetched from the device: what the page cache did not hold. */
  storageRead: { code: 49, shape: 'total', unit: 'bytes' },
  storageWritten: { code: 50, shape: 'total', unit: 'bytes' },

  // The process. All cores together: in µs, because 2^48 ns of CPU pass in an hour on 64 cores.
  processCpu: { code: 64, shape: 'total', unit: 'µs' },
  residentMemory: { code: 65, shape: 'gauge', unit: 'bytes' },
  /** The part of it that is shared with other processes: batches on their way from a worker. */
  sharedMemory: { code: 66, shape: 'gauge', unit: 'bytes' },
  /** Space for such memory (/dev/shm) that all processes of the machine have taken, and how much there is. */
  sharedSpaceUsed: { code: 67, shape: 'gauge', unit: 'bytes' },
  sharedSpace: { code: 68, shape: 'gauge', unit: 'bytes' },
  /** The part of it that no other process has. */
  privateMemory: { code: 69, shape: 'gauge', unit: 'bytes' },

  // The host
  hostCpuBusy: { code: 80, shape: 'total', unit: 'µs' },
  hostMemoryAvailable: { code: 81, shape: 'gauge', unit: 'bytes' },
  hostDiskRead: { code: 82, shape: 'total', unit: 'bytes' },
  hostDiskWritten: { code: 83, shape: 'total', unit: 'bytes' },
  hostNetworkIn: { code: 84, shape: 'total', unit: 'bytes' },
  hostNetworkOut: { code: 85, shape: 'total', unit: 'bytes' },

  // Calls of an operator's async function, in one lane
  /** Calls that have ended, and those of them that failed or were given up. */
  calls: { code: 96, shape: 'total', unit: 'count' },
  failedCalls: { code: 97, shape: 'total', unit: 'count' },
  /** What they took together, each from its start to its answer: many at once take many times the time that passes, so in µs. */
  callTime: { code: 98, shape: 'total', unit: 'µs' },
  /** What the slowest one so far took. */
  slowestCall: { code: 99, shape: 'gauge', unit: 'µs' },
} as const satisfies Record<string, MetricSpec>;

export type Metric = keyof typeof METRICS;

const byCode = new Map<number, Metric>(Object.entries(METRICS).map(([name, spec]) => [spec.code, name as Metric]));

/** The metric behind a code, or undefined for one that a newer writer added. */
export const metricOf = (code: number): Metric | undefined => byCode.get(code);
