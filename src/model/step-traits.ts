import { z } from 'zod';

/** What a step is in the preparation of a batch, said by the probe in the program. */
export const StepTraitsSchema = z.object({
  /** Done for every element, or once for a batch. */
  per: z.enum(['element', 'batch']),
  /** Its time holds that of the other steps on the element: it fetches it. */
  fetches: z.boolean(),
  /** It opens or decodes a file: no operation of torch, whose pool of threads could share the work. */
  decodes: z.boolean(),
  /** It gives the same for the same element in every pass. */
  steady: z.boolean(),
  /** Type of what it gives, where a fix of the program depends on it. */
  gives: z.string().optional(),
  /** Where it stands on an element's way, lowest first; those with the same number as they were met. */
  place: z.number(),
});
export type StepTraits = z.infer<typeof StepTraitsSchema>;
