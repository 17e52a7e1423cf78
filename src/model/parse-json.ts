import type { z } from 'zod';

/** What a text holds; undefined where it is no JSON, or not of this schema. */
export function parseJson<T>(schema: z.ZodType<T>, text: string): T | undefined {
  try {
    return schema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}
