import { z } from 'zod';
import { kindNamed } from './kind.ts';
import { stepTraitsOf } from './kind-traits.ts';
import { parseJson } from './parse-json.ts';
import { subject } from './record.ts';
import { StepTraitsSchema } from './step-traits.ts';

/** What the probe in a Python program says once, as `facts:JSON` in a lane's dictionary. Members may be added. */
const text = z.string().nullish();

export const ProcessFactSchema = z.object({
  process: z.object({
    python: text,
    torch: text,
    arguments: z.array(z.string()).nullish(),
    /** Recordings before 0.2 have none. */
    pid: z.number().nullish(),
    /** Which of the processes of a training it is. */
    rank: text,
    /** Threads of an operation in the consumer's process; in workers there is one. */
    threads: z.number().nullish(),
    accelerator: text,
    /** The interpreter. */
    executable: text,
  }),
});
export type ProcessFact = z.infer<typeof ProcessFactSchema>;

export const LoaderSettingsSchema = z.object({
  batch_size: z.number().nullish(),
  num_workers: z.number().nullish(),
  prefetch_factor: z.number().nullish(),
  pin_memory: z.boolean().nullish(),
  persistent_workers: z.boolean().nullish(),
  in_order: z.boolean().nullish(),
  drop_last: z.boolean().nullish(),
  /** Seconds that a worker has for a batch. */
  timeout: z.number().nullish(),
  /** Whether it was told how to start its workers. */
  has_context: z.boolean().nullish(),
  start_method: text,
  dataset: text,
  /** An iterable dataset: each worker runs a copy of it. */
  stream: z.boolean().nullish(),
  sampler: text,
  /** Elements of the dataset. */
  length: z.number().nullish(),
});
export type LoaderSettings = z.infer<typeof LoaderSettingsSchema>;

/** A place in the author's own code. */
const LoaderFrameSchema = z.object({
  file: z.string(),
  line: z.number(),
  function: z.string(),
  /** The line itself; left out where the recording is redacted, or the source is not there. */
  text,
});
export type LoaderFrame = z.infer<typeof LoaderFrameSchema>;

/**
 * A DataLoader: what its author called it, where it was made, how it was set. Recordings of 0.1 have no `key`, `pid`, `stack`,
 * `library` and `remadeBy`, and their `location` may lie in a library.
 */
export const LoaderFactSchema = z.object({
  loader: z.string(),
  /** Tells loaders apart, is known as soon as one is made, and is the same in every process and run of the program. */
  key: text,
  /** The process that calls it so. */
  pid: z.number().nullish(),
  /** `FILE:LINE` of the innermost place in the author's own code. */
  location: text,
  /** The author's own calls that led to it, innermost first; what libraries called in between is left out. */
  stack: z.array(LoaderFrameSchema).nullish(),
  /** Whose code called the constructor, where that was not the author's: `timm.data`, `transformers.Trainer`. */
  library: text,
  /** What made it anew on the same dataset, as `accelerate` does: that one is iterated, with the settings of this one. */
  remadeBy: text,
  settings: LoaderSettingsSchema,
});
export type LoaderFact = z.infer<typeof LoaderFactSchema>;

/** A step on an element or a batch inside its preparation. Recordings of 0.1 have no traits: these follow from its kind. */
export const OperatorFactSchema = z
  .object({
    operator: z.string(),
    kind: z.string().catch('transform'),
    location: text,
    traits: StepTraitsSchema.optional(),
  })
  .transform(({ kind, traits, ...fact }) => ({
    ...fact,
    kind: kindNamed(kind),
    traits: traits ?? stepTraitsOf(fact.operator, kind),
  }));
export type OperatorFact = z.infer<typeof OperatorFactSchema>;

export const FactSchema = z.union([LoaderFactSchema, OperatorFactSchema, ProcessFactSchema]);
export type Fact = z.infer<typeof FactSchema>;

const PREFIX = subject.facts('');

/** The fact in a subject's key; undefined for other keys, and for facts that are damaged, redacted or unknown here. */
export const parseFact = (key: string): Fact | undefined =>
  key.startsWith(PREFIX) ? parseJson(FactSchema, key.slice(PREFIX.length)) : undefined;
