import { z } from 'zod';
import type { GeneratedLines } from './generated-lines.ts';
import { parseJson } from './parse-json.ts';

const Whole = z.number().int().nonnegative();

// Apart from what writes it: every lane does, and zod alone is 3 MB of a thread's heap.
const GeneratedLinesSchema = z.object({
  generated: z.object({
    file: z.string(),
    operators: z.array(z.string()),
    lines: z.array(z.tuple([Whole, Whole, Whole])),
  }),
});

/** The fact behind a `facts:` key; undefined for one that is damaged, redacted or about something else. */
export const parseGeneratedLines = (json: string): GeneratedLines | undefined =>
  parseJson(GeneratedLinesSchema, json)?.generated;
