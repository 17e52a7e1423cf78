import { z } from 'zod';

/** A number that can be set: which of the operator's settings it is, and from where to where it may go. */
export const ParameterSchema = z.object({
  setting: z.string(),
  least: z.number(),
  most: z.number().optional(),
});

/**
 * What an operator is, said by whoever recorded it. Everything that is concluded about a graph rests on traits: none is guessed from
 * a name. What may be absent is then not so, or not known.
 */
export const TraitsSchema = z.object({
  /** Elements that leave, against those that arrive in a pass: as many, at most as many, at least as many, or any number. */
  elements: z.enum(['same', 'fewer', 'more', 'any']),
  /** Must see all elements in order, so it cannot be divided among lanes. */
  sequential: z.boolean(),
  /** Elements leave in the order in which they arrive. */
  keepsOrder: z.boolean(),
  /** What leaves are elements that arrived, unchanged. */
  keepsValues: z.boolean(),
  /** What it does about one: nothing, it moves a reference to it, or work of its own. */
  work: z.enum(['none', 'moving', 'own']),
  /** Elements come from it and are numbered there: a source, or one that puts elements together before a loop sees them. */
  origin: z.boolean().optional(),
  /** Keeps something from one element to the next. */
  stateful: z.boolean().optional(),
  /** Nothing ever leaves it: elements come to their end there. */
  sink: z.boolean().optional(),
  /** A source whose files, or parts of them, several lanes can read. */
  divisible: z.boolean().optional(),
  /** It is told which element it has, or in which pass: what it gives may depend on that. */
  context: z.boolean().optional(),
  /** Whether it may give something else for the same element another time; absent where nobody says. */
  random: z.boolean().optional(),
  /** It is given a function by the pipeline's author, which may do anything. */
  callsFunction: z.boolean().optional(),
  /** It keeps nothing of what it is given: where it is the first of its stage, typed arrays are lent to it as they lie in the channel. */
  borrows: z.boolean().optional(),
  /** What it does outside the pipeline is done in the order of the elements, unless its author divides it. */
  effectsInOrder: z.boolean().optional(),
  /** Hands on nothing until its buffer is full. */
  blocking: z.boolean().optional(),
  /** A channel follows it: what reads from it is in another stage. */
  endsStage: z.boolean().optional(),
  /** Leaving it out changes no element and no order. */
  removable: z.boolean().optional(),
  /** Passes over what it reads that make up one of its own. */
  repeats: z.union([z.number(), z.literal('forever')]).optional(),
  /** It repeats the pipeline for the number of epochs given when it is run (`--epochs`); the author's own `repeat` does not. */
  epochs: z.boolean().optional(),
  /** Goes through what it reads once, and makes later passes from what it kept: in memory, up to `limit` bytes, or in files. */
  cache: z.object({ in: z.enum(['memory', 'files']), limit: z.number().optional() }).optional(),
  /** Of several inputs: one element of each at a time until the first ends, or all elements of all. */
  joins: z.enum(['shortest', 'all']).optional(),
  /** So many elements in a row become one; at the end of a pass, those that are left over. */
  gathers: z.number().optional(),
  /** Elements that leave a source in a pass, where that is known beforehand. */
  total: z.number().optional(),
  /** The most that leave it in a pass: it wants no more then. */
  limit: z.number().optional(),
  /** Elements at the beginning of a pass that it drops. */
  drops: z.number().optional(),
  /** What can be set about it, and how far. */
  parameters: z
    .object({
      parallelism: ParameterSchema.optional(),
      concurrency: ParameterSchema.optional(),
      buffer: ParameterSchema.optional(),
    })
    .optional(),
  /** What its lanes are; absent: threads. */
  lanes: z.enum(['threads', 'processes', 'subtasks']).optional(),
  /** The pool of threads or processes it takes them from, where it shares one. */
  pool: z.string().optional(),
  /** Which of its lanes an element goes to: any that is free, or the one that has its key. */
  partitioning: z.enum(['any', 'key']).optional(),
});
export type Traits = z.infer<typeof TraitsSchema>;
