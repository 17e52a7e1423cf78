/**
 * Text: the lines of a file, split into words, long ones dropped, shuffled and batched. Without a file it reads itself.
 *
 *     venturi run examples/words.ts --epochs 100 --record words
 */
import { fileURLToPath } from 'node:url';
import { lines, pipeline } from 'venturi/engine';

const words = (line: string): string[] => line.toLowerCase().match(/\p{L}+/gu) ?? [];
const isShort = (word: string): boolean => word.length <= 12;

export default pipeline(import.meta, { file: fileURLToPath(import.meta.url), batch: 32 }, ({ file, batch }) =>
  lines(file).flatMap(words).filter(isShort).shuffle(1000).batch(batch),
);
