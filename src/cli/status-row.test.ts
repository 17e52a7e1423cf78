import { describe, expect, it } from 'vitest';
import { StatusRow } from './status-row.ts';
import type { Output } from './terminal.ts';

/** A sequence that a terminal obeys, or a character. */
const PIECES = new RegExp(`${String.fromCharCode(27)}(\\[[\\d;]*[A-Za-z]|[78D])|([\\s\\S])`, 'g');

/** As much of a terminal as a status row needs: rows of text, a cursor, a region that scrolls. */
class Screen {
  rows: string[];
  row = 0;
  column = 0;
  bottom: number;
  #saved: [number, number] = [0, 0];

  constructor(height: number) {
    this.rows = Array<string>(height).fill('');
    this.bottom = height - 1;
  }

  write(text: string): void {
    for (const [, sequence, character] of text.matchAll(PIECES)) {
      if (sequence !== undefined) this.#obey(sequence);
      else if (character === '\n') [this.column] = [0, this.#down()];
      else if (character === '\r') this.column = 0;
      else this.#print(character ?? '');
    }
  }

  #print(character: string): void {
    const before = (this.rows[this.row] ?? '').padEnd(this.column);
    this.rows[this.row] = before.slice(0, this.column) + character + before.slice(this.column + 1);
    this.column++;
  }

  #down(): void {
    if (this.row !== this.bottom) {
      this.row = Math.min(this.rows.length - 1, this.row + 1);
      return;
    }
    this.rows.splice(0, 1);
    this.rows.splice(this.bottom, 0, '');
  }

  #obey(sequence: string): void {
    const [first = 0, second = 0] = sequence.slice(1, -1).split(';').map(Number);
    if (sequence === '7') this.#saved = [this.row, this.column];
    else if (sequence === '8') [this.row, this.column] = this.#saved;
    else if (sequence === 'D') this.#down();
    else if (sequence.endsWith('A')) this.row -= first;
    else if (sequence.endsWith('H')) [this.row, this.column] = [first - 1, second - 1];
    else if (sequence.endsWith('K')) this.rows[this.row] = (this.rows[this.row] ?? '').slice(0, this.column);
    else if (sequence.endsWith('r')) {
      this.bottom = second === 0 ? this.rows.length - 1 : second - 1;
      [this.row, this.column] = [0, 0];
    } else throw new Error(`not understood: ${sequence}`);
  }
}

const HEIGHT = 6;

function open(screen: Screen, size: { height: number; width: number } = { height: HEIGHT, width: 40 }): StatusRow {
  const output: Output = {
    isLive: true,
    width: () => size.width,
    height: () => size.height,
    write: text => screen.write(text),
    colour: (_, text) => text,
  };
  return new StatusRow(output);
}

describe('the row below what a program writes', () => {
  it.each([
    ['at the top', 'a\nb'],
    ['in the midst of the last row', '1\n2\n3\n4\n5\nhalf of'],
    ['beyond the first screen', '1\n2\n3\n4\n5\n6\n7\n8\nhalf of'],
  ])('leaves what is there, and the cursor in its place: %s', (_, written) => {
    const bare = new Screen(HEIGHT - 1);
    const screen = new Screen(HEIGHT);
    screen.write(written);
    bare.write(written);
    const row = open(screen);
    for (let turn = 0; turn < 20; turn++) {
      row.show(`turn ${turn}`);
      expect(screen.rows.at(-1)).toBe(`turn ${turn}`);
      for (const each of [screen, bare]) each.write(turn % 3 === 0 ? `\rprogress ${turn}` : ` and ${turn}\n`);
    }
    row.close();
    expect(screen.rows.slice(0, -1)).toEqual(bare.rows);
    expect([screen.row, screen.column]).toEqual([bare.row, bare.column]);
    expect(screen.rows.at(-1)).toBe('');
    expect(screen.bottom).toBe(HEIGHT - 1);
  });

  it('is one row, however long what it says', () => {
    const screen = new Screen(HEIGHT);
    open(screen, { height: HEIGHT, width: 10 }).show('much longer than the screen');
    expect(screen.rows.at(-1)?.length).toBeLessThan(10);
  });

  it('moves with the size of the terminal', () => {
    const screen = new Screen(HEIGHT);
    const size = { height: HEIGHT - 2, width: 40 };
    const row = open(screen, size);
    row.show('small');
    size.height = HEIGHT;
    row.show('large');
    expect(screen.rows).toEqual(['', '', '', '', '', 'large']);
  });

  it('writes nothing where nothing was shown', () => {
    const screen = new Screen(HEIGHT);
    screen.write = () => expect.unreachable();
    open(screen).close();
  });
});
