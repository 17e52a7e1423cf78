import { z } from 'zod';
import { MOST_CHANGES } from './plan-limits.ts';

const whole = z.number().int().min(1);

/** What is to be different about one operator of a pipeline. Elements and their order stay as they are. */
export const ActionSchema = z.discriminatedUnion('kind', [
  /** Threads that share its work. `to` left out: it rides along with the operator before it. */
  z.object({
    kind: z.literal('parallelism'),
    operator: z.string().min(1),
    from: whole.optional(),
    to: whole.optional(),
  }),
  /** Calls of its async function under way at once in each thread. */
  z.object({ kind: z.literal('concurrency'), operator: z.string().min(1), from: whole.optional(), to: whole }),
  /** What comes out of it is buffered, so that it runs ahead in a thread of its own. */
  z.object({
    kind: z.literal('prefetch'),
    operator: z.string().min(1),
    elements: whole,
    /** Chunks that the buffer may hold; a handful, unless given. */
    slots: whole.optional(),
  }),
  /** What comes out of it is kept: in memory, or in a file in `folder`. */
  z.object({
    kind: z.literal('cache'),
    operator: z.string().min(1),
    /** Bytes it may keep. */
    limit: whole,
    folder: z.string().min(1).optional(),
  }),
  /** A source is divided into its files, or parts of them, which several threads read. */
  z.object({ kind: z.literal('divide'), operator: z.string().min(1), parallelism: whole }),
  /** A prefetch or cache of the author's is left out. */
  z.object({ kind: z.literal('remove'), operator: z.string().min(1) }),
]);
export type Action = z.infer<typeof ActionSchema>;

/** An estimate with the ends of its interval, as `math/statistics` has it. */
const IntervalSchema = z.object({
  estimate: z.number(),
  low: z.number(),
  high: z.number(),
  confidence: z.number(),
});

/** Why a change is made. The report puts it into words. */
export const REASONS = [
  /** Its work is more than its threads can do, and cores are free. */
  'binds',
  /** As many threads as there are cores, as for everything that can be divided. */
  'on-all-cores',
  /** A thread of its own costs more than it brings. */
  'not-worth-a-thread',
  /** The one before it has threads enough for both. */
  'rides',
  /** More threads than there are cores to run them. */
  'too-many',
  /** It must see all elements in order, and has to be kept out of threads that share work. */
  'in-order',
  /** It and what follows it can work at the same time. */
  'overlap',
  /** What reads from it has to wait at times, although it is fast enough in the mean. */
  'waits-vary',
  /** What lies upstream need be done in the first pass only. */
  'same-every-pass',
  /** Its calls wait for answers, and more of them could wait at once. */
  'waits-outside',
  /** One thread reads more slowly than storage delivers. */
  'one-reader',
  /** Its operators are too small to be worth channels of their own: all of them ride in the threads that read. */
  'small-operators',
] as const;
export type Reason = (typeof REASONS)[number];

export const ChangeSchema = z.object({
  action: ActionSchema,
  reason: z.enum(REASONS),
  /** Elements per second that leave the pipeline with this change and all before it. */
  forecast: IntervalSchema.optional(),
});
export type Change = z.infer<typeof ChangeSchema>;

/** A change that was looked at and is not made, and why. */
const RefusalSchema = z.object({
  /** Of a warning. Versions to come may have others. */
  code: z.string(),
  message: z.string(),
  /** What it would have changed, where that is known. */
  operators: z.array(z.string()),
});
export type Refusal = z.infer<typeof RefusalSchema>;

/** What there is to change about a program, whatever its target. What else a target's plan has is its own. */
export interface Plan {
  readonly schemaVersion: 1;
  readonly target: string;
  readonly changes: readonly { readonly action: { readonly kind: string; readonly operator: string } }[];
  readonly refused: readonly Refusal[];
}

/** What there is to change about a pipeline, as data: saved, loaded, applied, compared. */
export const PlanSchema = z.object({
  schemaVersion: z.literal(1),
  target: z.literal('engine').default('engine'),
  pipeline: z.object({
    /** Its file, as it was given. */
    path: z.string(),
    /** Over ids, kinds and connections: a plan fits another pipeline only where these are the same. */
    shape: z.string().min(1),
    /** Over settings and functions too: another one is the same pipeline with other code or parameters. */
    fingerprint: z.string().min(1),
  }),
  changes: z.array(ChangeSchema).max(MOST_CHANGES),
  refused: z.array(RefusalSchema).max(MOST_CHANGES).default([]),
  /** What was known when it was made. */
  basis: z
    .object({
      writer: z.string(),
      coresUsable: z.number().positive(),
      /** Bytes for caches. */
      memory: z.number().min(0),
      epochs: z.number().int().min(1),
      /** Elements per second before, and expected of the whole plan. */
      before: IntervalSchema,
      /** Absent where it could not be told. */
      predicted: IntervalSchema.optional(),
      /** With it, where it was tried. */
      measured: IntervalSchema.optional(),
    })
    .optional(),
});
export type PipelinePlan = z.infer<typeof PlanSchema>;
/** As somebody writes it, or version 0.1 did. */
export type WrittenPlan = z.input<typeof PlanSchema>;
