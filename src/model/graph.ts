import { z } from 'zod';
import type { Kind } from './kind.ts';
import { TraitsSchema } from './traits.ts';

/**
 * The dataflow graph: operators and the channels between them. A DAG; several sources and sinks are normal.
 *
 * An operator's id is the name its author gave it, or else its structural path: the kinds of the operators from its
 * source down to it, as in `range/map/filter`. Never an ordinal: inserting a step must not rename its neighbours'
 * plans. The path starts again at a named operator.
 */
export const OperatorSchema = z.object({
  id: z.string().min(1),
  /** What it does, in one word: range, map, batch … For printing alone. */
  kind: z.string().min(1) as unknown as z.ZodType<Kind, Kind>,
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
  ...TraitsSchema.shape,
  /** Where the author wrote it: `file:line`. */
  location: z.string().optional(),
});
export type Operator = z.infer<typeof OperatorSchema>;

/** What a channel's slots are computed from, beside the memory of the run. */
export const ChannelSizingSchema = z.object({
  /** Large chunks it is to hold. */
  largeSlots: z.number().int().min(1),
  /** Someone relies on how many chunks it holds, be they small or large. */
  counted: z.boolean(),
  /** Its consumer may keep chunks while others take their place. */
  lends: z.boolean(),
  /** Most elements it may hold, where a prefetch says so. */
  mostElements: z.number().int().min(1).optional(),
});
export type ChannelSizing = z.infer<typeof ChannelSizingSchema>;

export const ChannelSchema = z.object({
  id: z.string().min(1),
  from: z.string(),
  to: z.string(),
  /** Chunks it can hold: fewer where they are large. */
  slots: z.number().int().min(1),
  /** Bytes it can hold. */
  capacity: z.number().min(0),
  /** Bytes of the largest chunk that passes whole; absent where there is no such limit, and before 0.2. */
  largeSlotBytes: z.number().min(0).optional(),
  sizing: ChannelSizingSchema.optional(),
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
  /** Bytes of elements that may be under way, which its channels and lanes share; absent where there is no such limit, and before 0.2. */
  memory: z.number().min(1).optional(),
  /** Hash over ids, kinds, settings and function sources: plans and caches rest on it. */
  fingerprint: z.string(),
});
export type Graph = z.infer<typeof GraphSchema>;
