import { z } from 'zod';
import { parseJson } from './parse-json.ts';

/** What a lane of samples says of itself, as `facts:JSON` in its dictionary. */
const SampleFactSchema = z.object({
  samples: z.object({
    profiler: z.string(),
    /** By number: what the flags of a sample mean. */
    events: z.array(z.string()),
    /** Samples per second of a busy thread. */
    frequency: z.number().nonnegative(),
  }),
});
export type SampleFact = z.infer<typeof SampleFactSchema>['samples'];

/** The fact behind a `facts:` key; undefined for one that is damaged, redacted or about something else. */
export const parseSampleFact = (json: string): SampleFact | undefined => parseJson(SampleFactSchema, json)?.samples;

/** A symbol's key in its parts; undefined for another key. */
export function parseSymbol(key: string): { readonly symbol: string; readonly module: string } | undefined {
  if (!key.startsWith('symbol:')) return undefined;
  const cut = key.lastIndexOf(' (');
  if (cut < 0) return { symbol: key.slice('symbol:'.length), module: '' };
  return { symbol: key.slice('symbol:'.length, cut), module: key.slice(cut + 2, key.endsWith(')') ? -1 : undefined) };
}

/** A frame of an interpreter's stack. */
export interface StackFrame {
  readonly name: string;
  readonly file: string;
  /** The line that was being executed; 0 where it is not known. */
  readonly line: number;
}

/** A stack, from the outermost frame in, and how often a profiler met it. */
export interface StackHits {
  readonly frames: readonly StackFrame[];
  readonly hits: number;
}
