/** A text to tokenize, made on the spot: words by Zipf's law, capitals, numbers, punctuation, a few letters beyond ASCII. */
import { createWriteStream } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import { mulberry32 } from '../harness.mjs';

const WORDS = 30_000;
/** The vocabulary ends here: rarer words are unknown to it. */
const KNOWN = 20_000;
const MARKS = ['.', ',', ';', ':', '!', '?', '-', "'", '"', '(', ')'];
const SYLLABLES = ['ba', 'cor', 'di', 'en', 'fla', 'go', 'hem', 'is', 'ka', 'lo', 'mur', 'né', 'or', 'pli', 'ra', 'sö'];

/** Writes `lines` lines to text.txt and the vocabulary, a list numbered from 0, to vocabulary.json. */
export async function makeCorpus(folder, lines) {
  const random = mulberry32(0x7e47);
  const words = Array.from({ length: WORDS }, (_, rank) => wordOf(rank));
  const text = join(folder, 'text.txt');
  const vocabulary = join(folder, 'vocabulary.json');
  const out = createWriteStream(text);
  for (let line = 0; line < lines; line++) {
    const length = 4 + Math.floor(random() * 24);
    let written = '';
    for (let at = 0; at < length; at++) written += (at === 0 ? '' : ' ') + tokenOf(words, random);
    if (!out.write(`${written}\n`)) await new Promise(resolve => out.once('drain', resolve));
  }
  out.end();
  await finished(out);
  await writeFile(vocabulary, JSON.stringify(['<unknown>', ...words.slice(0, KNOWN), ...MARKS, '2024', '42']));
  return { text, vocabulary };
}

/** Every rank has a word of its own: its digits in base 16, as syllables. */
function wordOf(rank) {
  let word = '';
  for (let left = rank + 1; left > 0; left >>= 4) word += SYLLABLES[left & 15];
  return word;
}

/** The logarithm of a rank under Zipf's law is about uniform. */
function tokenOf(words, random) {
  if (random() < 0.02) return random() < 0.5 ? '2024' : '42';
  const word = words[Math.floor(WORDS ** random()) - 1];
  const cased = random() < 0.12 ? word[0].toUpperCase() + word.slice(1) : word;
  return random() < 0.15 ? cased + MARKS[Math.floor(random() * MARKS.length)] : cased;
}
