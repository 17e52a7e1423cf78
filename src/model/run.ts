import { z } from 'zod';
import { GraphSchema } from './graph.ts';
import { HostSchema } from './host.ts';

/** The same instant on two clocks. Nanoseconds as decimal strings: JSON numbers cannot hold them. */
export const ClockSnapshotSchema = z.object({
  monotonic: z.string().regex(/^\d+$/),
  domain: z.string(),
  value: z.string().regex(/^\d+$/),
});
export type ClockSnapshot = z.infer<typeof ClockSnapshotSchema>;

export const OutcomeSchema = z.object({
  /** `stopped`: ended early because its user wanted no more of it (`--for`, take, break). */
  status: z.enum(['completed', 'stopped', 'interrupted', 'failed']),
  endedAt: z.string(),
  /** Moment of the end on the run's clock. */
  monotonic: z.string().regex(/^\d+$/),
  error: z.object({ code: z.string(), message: z.string() }).optional(),
  /** What the recording itself lost: a full disk, rotated segments. */
  warnings: z.array(z.string()).default([]),
  /** Codes of `warnings`, in their order; absent where they have none. */
  warningCodes: z.array(z.string()).optional(),
});
export type Outcome = z.infer<typeof OutcomeSchema>;

/** Work that a lane did not come to the end of. */
export const StuckSchema = z.object({
  lane: z.string(),
  /** The operator whose function did not return; several where that could not be told apart. */
  operators: z.array(z.string()),
  /** Number of the element, or of the first of `elements`; absent where a source gave no more. */
  element: z.number().optional(),
  elements: z.number().optional(),
  /** When it began, ns from the run's start. */
  since: z.number(),
});
export type Stuck = z.infer<typeof StuckSchema>;

/** `run.json`: the small frozen facts of a run. Written by the parent process alone, replaced whole. */
export const RunManifestSchema = z.object({
  format: z.literal('venturi-run'),
  version: z.number().int().min(1),
  /** Version of the program that wrote it. */
  writer: z.string(),
  id: z.uuid(),
  name: z.string(),
  /** What was recorded: our engine, PyTorch … */
  probe: z.string(),
  createdAt: z.string(),
  command: z.array(z.string()),
  directory: z.string(),
  pid: z.number().int(),
  /** The run's start on CLOCK_MONOTONIC, ns. All moments in memory count from here. */
  start: z.string().regex(/^\d+$/),
  /** Distinguishes boots: moments of two boots do not compare. */
  bootId: z.string(),
  clocks: z.array(ClockSnapshotSchema),
  host: HostSchema,
  /** All hosts of a run that spans several, `host` among them. */
  hosts: z.array(HostSchema).min(1).optional(),
  graph: GraphSchema.optional(),
  parameters: z.record(z.string(), z.unknown()).default({}),
  settings: z.record(z.string(), z.unknown()).default({}),
  redacted: z.boolean().default(false),
  /** What was under way and seemed never to end when this was written, or when the run had to be ended regardless. */
  stuck: z.array(StuckSchema).optional(),
  /** The final mark. A run without it was cut: read it, and call it incomplete. */
  outcome: OutcomeSchema.optional(),
});
export type RunManifest = z.infer<typeof RunManifestSchema>;
