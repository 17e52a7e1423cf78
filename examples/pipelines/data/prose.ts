import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Draws } from './draws.ts';
import { madeOnce } from './made-once.ts';

const SYLLABLES =
  'ba be bi da de do fa fe ga ge go ka ke la le lo ma me mi na ne no pa pe ra re ro sa se ta te to'.split(' ');

/** Every word of one, two and three syllables that the texts are made of; the first ones are the most frequent. */
export const WORDS: readonly string[] = [
  ...SYLLABLES,
  ...SYLLABLES.flatMap(first => SYLLABLES.map(second => first + second)),
  ...SYLLABLES.slice(0, 8).flatMap(first =>
    SYLLABLES.flatMap(second => SYLLABLES.map(third => first + second + third)),
  ),
];

/** A text of `count` sentences, one a line. */
export const prose = (folder: string, count: number): string =>
  join(
    madeOnce(folder, `prose-${count}`, into => {
      const draws = new Draws(1);
      writeFileSync(
        join(into, 'text.txt'),
        lines(count, () => sentence(draws, draws.between(4, 40))),
      );
    }),
    'text.txt',
  );

/** The same text in two languages, line by line: sentences of about the same length, some of which do not belong together. */
export const translations = (folder: string, count: number): { source: string; target: string } => {
  const place = madeOnce(folder, `translations-${count}`, into => {
    const draws = new Draws(2);
    const lengths = Array.from({ length: count }, () => draws.between(3, 30));
    const unrelated = (length: number): number => (draws.uniform() < 0.05 ? 4 * length : length + draws.between(-1, 2));
    writeFileSync(
      join(into, 'source.txt'),
      lines(count, at => sentence(draws, lengths[at] ?? 1)),
    );
    writeFileSync(
      join(into, 'target.txt'),
      lines(count, at => sentence(draws, unrelated(lengths[at] ?? 1))),
    );
  });
  return { source: join(place, 'source.txt'), target: join(place, 'target.txt') };
};

const lines = (count: number, line: (at: number) => string): string =>
  Array.from({ length: count }, (_, at) => `${line(at)}\n`).join('');

/** Words by Zipf's law, near enough: the rank is drawn evenly on a logarithmic scale. */
function sentence(draws: Draws, length: number): string {
  const words = Array.from({ length }, () => WORDS[Math.floor(WORDS.length ** draws.uniform()) - 1] ?? 'ba');
  const text = words.join(' ');
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}
