import { z } from 'zod';
import { VenturiError } from '../../model/errors.ts';
import type { StackFrame, StackHits } from '../../model/samples.ts';

/** `function (file.py:12)`. */
const FRAME = /^(.*) \((.*?)(?::(\d+))?\)$/;

/** A line of `py-spy record --format raw`: frames from the outermost in, and how often they were met. */
export function parseRawLine(line: string): StackHits | undefined {
  const space = line.lastIndexOf(' ');
  const hits = Number(line.slice(space + 1));
  if (space <= 0 || !Number.isSafeInteger(hits) || hits <= 0) return undefined;
  const frames = line
    .slice(0, space)
    .split(';')
    .map((text): StackFrame => {
      const [, name, file = '', number] = FRAME.exec(text) ?? [];
      return name === undefined ? { name: text, file: '', line: 0 } : { name, file, line: Number(number ?? 0) };
    });
  return { frames, hits };
}

const SpeedscopeSchema = z.object({
  shared: z.object({
    frames: z.array(z.object({ name: z.string(), file: z.string().nullish(), line: z.number().nullish() })),
  }),
  profiles: z.array(z.object({ type: z.string(), samples: z.array(z.array(z.number())).nullish() })),
});

/** `py-spy record --format speedscope`. */
export function* speedscopeStacks(text: string, path: string): Generator<StackHits, void, undefined> {
  let file: z.infer<typeof SpeedscopeSchema>;
  try {
    file = SpeedscopeSchema.parse(JSON.parse(text));
  } catch (error) {
    throw new VenturiError('VENTURI_SAMPLES_UNREADABLE', `${path} is not a whole speedscope file.`, {
      remedy: 'Make one with: py-spy record --format speedscope -o FILE -- python train.py',
      cause: error,
    });
  }
  const frames = file.shared.frames.map(
    ({ name, file: source, line }): StackFrame => ({ name, file: source ?? '', line: line ?? 0 }),
  );
  for (const { samples } of file.profiles) {
    for (const sample of samples ?? []) {
      yield { frames: sample.flatMap(number => frames[number] ?? []), hits: 1 };
    }
  }
}
