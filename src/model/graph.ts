import { z } from 'zod';

/**
 * The dataflow graph: operators and the channels between them. A DAG; several sources and sinks are normal.
 *
 * An operator's id is the name its author gave it, or else its structural path: the kinds of the operators from its
 * source down to it, as in `range/map/filter`. Never an ordinal: inserting a step must not rename its neighbours'
 * plans. The path starts again at a named operator.
 */
export const OperatorSchema = z.object({
  id: z.string().min(1),
  /** What it does: range, map, batch … */
  kind: z.string().min(1),
  /** What to call it in a table: its given name, the name of its function, or its kind. */
  label: z.string(),
  /** Ids of the operators it reads from; none for a source. */
  inputs: z.array(z.string()),
  /** Plain settings: batch size, shuffle buffer … */
  settings: z.record(z.string(), z.unknown()).default({}),
  /** Wanted threads; absent where the operator rides along with its upstream neighbour. */
  parallelism: z.number().int().min(0).optional(),
  /** Calls of its async function under way at once in each lane; absent where it has none. */
  concurrency: z.number().int().min(1).optional(),
  /** Must see all elements in order, so it cannot be divided among threads. */
  sequential: z.boolean(),
  /** It is told which element it has, or in which pass: what it gives may depend on that. Absent in older recordings. */
  context: z.boolean().optional(),
  /** Its author says whether it gives the same for the same element every time. */
  random: z.boolean().optional(),
  /** Nothing ever leaves it: elements come to their end there. Absent where something does, and in older recordings. */
  sink: z.boolean().optional(),
  /** A source whose files, or parts of them, several threads can read. */
  divisible: z.boolean().optional(),
  /** Where the author wrote it: `file:line`. */
  location: z.string().optional(),
});
export type Operator = z.infer<typeof OperatorSchema>;

export const ChannelSchema = z.object({
  id: z.string().min(1),
  from: z.string(),
  to: z.string(),
  /** Chunks it can hold: fewer where they are large. */
  slots: z.number().int().min(1),
  /** Bytes it can hold. */
  capacity: z.number().min(0),
});
export type Channel = z.infer<typeof ChannelSchema>;

/** Operators fused into one loop, run by `parallelism` lanes. */
export const StageSchema = z.object({
  id: z.string().min(1),
  operators: z.array(z.string()).min(1),
  parallelism: z.number().int().min(0),
});
export type Stage = z.infer<typeof StageSchema>;

export const GraphSchema = z.object({
  operators: z.array(OperatorSchema),
  channels: z.array(ChannelSchema),
  stages: z.array(StageSchema),
  /** Hash over ids, kinds, settings and function sources: plans and caches rest on it. */
  fingerprint: z.string(),
});
export type Graph = z.infer<typeof GraphSchema>;
