/** Letters of five by seven dots, a row after the other. */
const ROWS: Readonly<Record<string, string>> = {
  A: '.###. #...# #...# ##### #...# #...# #...#',
  B: '####. #...# #...# ####. #...# #...# ####.',
  C: '.###. #...# #.... #.... #.... #...# .###.',
  D: '####. #...# #...# #...# #...# #...# ####.',
  E: '##### #.... #.... ####. #.... #.... #####',
  F: '##### #.... #.... ####. #.... #.... #....',
  G: '.###. #...# #.... #.### #...# #...# .###.',
  H: '#...# #...# #...# ##### #...# #...# #...#',
  I: '.###. ..#.. ..#.. ..#.. ..#.. ..#.. .###.',
  J: '..### ...#. ...#. ...#. ...#. #..#. .##..',
  K: '#...# #..#. #.#.. ##... #.#.. #..#. #...#',
  L: '#.... #.... #.... #.... #.... #.... #####',
  M: '#...# ##.## #.#.# #.#.# #...# #...# #...#',
  N: '#...# ##..# #.#.# #..## #...# #...# #...#',
  O: '.###. #...# #...# #...# #...# #...# .###.',
  P: '####. #...# #...# ####. #.... #.... #....',
  Q: '.###. #...# #...# #...# #.#.# #..#. .##.#',
  R: '####. #...# #...# ####. #.#.. #..#. #...#',
  S: '.#### #.... #.... .###. ....# ....# ####.',
  T: '##### ..#.. ..#.. ..#.. ..#.. ..#.. ..#..',
  U: '#...# #...# #...# #...# #...# #...# .###.',
  V: '#...# #...# #...# #...# #...# .#.#. ..#..',
  W: '#...# #...# #...# #.#.# #.#.# ##.## #...#',
  X: '#...# #...# .#.#. ..#.. .#.#. #...# #...#',
  Y: '#...# #...# .#.#. ..#.. ..#.. ..#.. ..#..',
  Z: '##### ....# ...#. ..#.. .#... #.... #####',
  ' ': '..... ..... ..... ..... ..... ..... .....',
};

/** A dot is this many pixels wide and high. */
const DOT = 4;

/** What a letter takes on the page, with a dot of room at its right and below. */
export const CELL = { width: 6 * DOT, height: 8 * DOT };

/** Each letter as the pixels of its cell: 0 where there is ink, 255 where there is paper. */
export const GLYPHS: readonly { readonly letter: string; readonly pixels: Uint8Array }[] = Object.entries(ROWS).map(
  ([letter, text]) => {
    const rows = text.split(' ');
    const pixels = Uint8Array.from({ length: CELL.width * CELL.height }, (_, at) => {
      const column = Math.floor((at % CELL.width) / DOT);
      const row = Math.floor(at / CELL.width / DOT);
      return rows[row]?.[column] === '#' ? 0 : 255;
    });
    return { letter, pixels };
  },
);
