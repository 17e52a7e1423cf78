import { z } from 'zod';

/** A cost measured in several rounds: their median, the lowest and the highest. The unit stands in the name of the field that holds it. */
export const CostSchema = z.object({
  median: z.number().min(0),
  low: z.number().min(0),
  high: z.number().min(0),
});
export type Cost = z.infer<typeof CostSchema>;

/**
 * CPU that handing elements on takes one thread, as a linear model of what is handed on; the terms add up. Elements are the
 * engine's own, in chunks, through a ring: the sender encodes and copies them, the receiver copies and decodes them.
 */
export const TransferCostsSchema = z.object({
  /** For a chunk, however little is in it. */
  cpuNsPerChunk: CostSchema,
  cpuNsPerElement: CostSchema,
  /** For a byte of it, whether in arrays or not. */
  cpuNsPerByte: CostSchema,
  /** For a typed array in it with memory of its own, in addition to its bytes. */
  cpuNsPerArray: CostSchema,
  /** For an object, a list or a text in it, in addition to its bytes: the receiver makes it anew. */
  cpuNsPerObject: CostSchema,
  /** Measured / modelled, of the chunks it was fitted to: those of numbers alone, those with objects or texts, and those with typed arrays. */
  residuals: z.object({ numbers: CostSchema, objects: CostSchema, arrays: CostSchema }),
});
export type TransferCosts = z.infer<typeof TransferCostsSchema>;

/** Throughput of memory with so many threads at once that copy blocks larger than the processor's caches, all of them together. */
export const MemoryPointSchema = z.object({
  threads: z.number().int().min(1),
  /** Bytes copied: each is read once and written once. */
  bytesPerSecond: CostSchema,
});

/**
 * Work per CPU second of one of so many busy threads / that of one alone, where the work stays in the core's own caches: arithmetic of
 * which each step depends on the one before (bound by latency), and arithmetic of independent steps (bound by throughput), which hardware
 * threads of one core slow down more.
 */
export const ComputePointSchema = z.object({
  threads: z.number().int().min(1),
  chained: CostSchema,
  independent: CostSchema,
});

/** How costs of a machine were measured. */
export const CostsMeasurementSchema = z.object({
  /** When they were: RFC 3339. */
  at: z.string(),
  /** Program and version whose channels they are of, and the runtime (`node 20.19.0`). */
  venturi: z.string(),
  runtime: z.string(),
  /** Rounds that a cost's median is of, at least. */
  rounds: z.number().int().min(1),
  /** Where CPU times are from: the kernel's account of a thread, or wall time, which is too high on a busy machine. */
  clock: z.enum(['schedstat', 'threadCpuUsage', 'wall']),
  /** Share of the machine's cores that others kept busy just before: 0 to 1. Absent where nobody says. */
  busyShare: z.number().min(0).max(1).optional(),
  seconds: z.number().min(0),
});

/** What a pipeline's lanes cost on a machine beside the work of their operators. `src/probes/engine/costs/` measures. */
export const PipelineCostsSchema = z.object({
  measured: CostsMeasurementSchema,
  send: TransferCostsSchema,
  receive: TransferCostsSchema,
  /** CPU of the runtime's own threads (garbage collection) for a typed array that was handed on. */
  collectCpuNsPerArray: CostSchema,
  /** A lane that sleeps on its channel: CPU for who wakes it and for itself, and time until it goes on. */
  wake: z.object({ wakerCpuNs: CostSchema, sleeperCpuNs: CostSchema, delayNs: CostSchema }),
  /** A lane that is started: CPU of the process, and time until it takes its first chunk. */
  start: z.object({ cpuNs: CostSchema, delayNs: CostSchema }),
  /** A page of memory that is touched for the first time: its size, and CPU for the thread that touches it. */
  freshPage: z.object({ bytes: z.number().positive(), cpuNs: CostSchema }),
  /** By threads, ascending, from one. */
  memory: z.array(MemoryPointSchema).min(1),
  compute: z.array(ComputePointSchema).min(1),
});
export type PipelineCosts = z.infer<typeof PipelineCostsSchema>;
