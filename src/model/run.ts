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
});
export type Outcome = z.infer<typeof OutcomeSchema>;

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
  graph: GraphSchema.optional(),
  parameters: z.record(z.string(), z.unknown()).default({}),
  settings: z.record(z.string(), z.unknown()).default({}),
  redacted: z.boolean().default(false),
  /** The final mark. A run without it was cut: read it, and call it incomplete. */
  outcome: OutcomeSchema.optional(),
});
export type RunManifest = z.infer<typeof RunManifestSchema>;
