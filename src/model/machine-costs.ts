import { z } from 'zod';

/** What a thread gets done per CPU second while so many are busy, in parts of what it does alone. */
export const BusyPaceSchema = z.object({
  threads: z.number().min(1),
  /** Of work that stays in its core, and of work that moves memory. */
  compute: z.number().positive(),
  memory: z.number().positive(),
});
export type BusyPace = z.infer<typeof BusyPaceSchema>;

/** What one worker of a DataLoader takes, for batches of so many bytes: ns. */
export const WorkerCostsSchema = z.object({
  bytes: z.number().positive(),
  /** To start it and to end it, for who asks, and what that takes beside however many there are; and until it begins. */
  each: z.number().min(0),
  fixed: z.number().min(0).optional(),
  /** Share of both that is waiting for its end: 0 to below 1. */
  ending: z.number().min(0).lt(1).optional(),
  start: z.number().min(0),
  /** To send a batch, and to receive it. */
  transfer: z.number().min(0),
  receive: z.number().min(0),
  /** What receiving takes longer while the worker interprets Python, which keeps those of its threads waiting that have a part in it. */
  held: z.number().min(0).optional(),
  /** CPU that fresh pages of shared memory add for who writes a batch, and for who reads it first in another process. */
  written: z.number().min(0),
  read: z.number().min(0),
});
export type WorkerCosts = z.infer<typeof WorkerCostsSchema>;

/** Of the CPU that a pool of so many threads spends beside torch's operations, the part that their thread would spend more without it;
 * below zero where threads that wait for each other awake cost more than they spare. */
export const PoolSharesSchema = z.object({ threads: z.number(), least: z.number().min(-1), most: z.number().max(1) });
export type PoolShares = z.infer<typeof PoolSharesSchema>;

/** What a machine takes for things that a recording may not have in it, measured beside it. `python/venturi_probe/pytorch/machine/costs.py` measures. */
export const MachineCostsSchema = z.object({
  busy: z.array(BusyPaceSchema).min(1),
  /** What a thread that sets another to work waits for a core, ns, on average, where as many are at work as there are cores. */
  wake: z.number().min(0).optional(),
  worker: WorkerCostsSchema.optional(),
  pool: PoolSharesSchema.optional(),
});
export type MachineCosts = z.infer<typeof MachineCostsSchema>;
