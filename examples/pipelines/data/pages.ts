import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Draws } from './draws.ts';
import { madeOnce } from './made-once.ts';
import { WORDS } from './prose.ts';
import { CELL, GLYPHS } from './typeface.ts';

/** Letters across and down. */
const PAGE = { columns: 24, rows: 16 };

/** A folder of scanned pages: grey bitmaps in the PGM format, with some noise, and the text of each in a file beside it. */
export const pages = (folder: string, count: number): string =>
  madeOnce(folder, `pages-${count}`, into => {
    for (let index = 0; index < count; index++) {
      const draws = new Draws(1000 + index);
      const text = Array.from({ length: PAGE.rows }, () => line(draws));
      const name = join(into, String(index).padStart(5, '0'));
      writeFileSync(`${name}.pgm`, scanned(text, draws));
      writeFileSync(`${name}.txt`, text.map(each => each.trimEnd()).join('\n'));
    }
  });

/** Words as far as the line reaches. */
function line(draws: Draws): string {
  let text = '';
  for (let word = draws.pick(WORDS); text.length + word.length <= PAGE.columns; word = draws.pick(WORDS))
    text += `${word} `;
  return text.slice(0, PAGE.columns).padEnd(PAGE.columns).toUpperCase();
}

function scanned(text: readonly string[], draws: Draws): Uint8Array {
  const [width, height] = [PAGE.columns * CELL.width, PAGE.rows * CELL.height];
  const page = new Uint8Array(width * height);
  for (const [row, letters] of text.entries()) {
    for (const [column, letter] of [...letters].entries()) {
      const pixels = GLYPHS.find(glyph => glyph.letter === letter)?.pixels ?? new Uint8Array();
      for (let y = 0; y < CELL.height; y++) {
        const from = y * CELL.width;
        const at = (row * CELL.height + y) * width + column * CELL.width;
        page.set(pixels.subarray(from, from + CELL.width), at);
      }
    }
  }
  // Dust: paper is rarely white and ink rarely black.
  for (let at = 0; at < page.length; at += draws.between(1, 12))
    page[at] = Math.abs((page[at] ?? 0) - draws.between(0, 60));
  return Buffer.concat([Buffer.from(`P5\n${width} ${height}\n255\n`), page]);
}
