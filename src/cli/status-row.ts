import { truncate } from '../report/width.ts';
import type { Output } from './terminal.ts';

/**
 * The last row of a terminal on which another program writes: that one scrolls in the rows above, and what it writes stays as it
 * is. Each change is one write, so that nothing comes between. Whoever opens one must close it, also when leaving in a hurry.
 */
export class StatusRow {
  readonly #output: Output;
  /** Rows of the terminal when the last one was taken. */
  #rows: number | undefined;

  constructor(output: Output) {
    this.#output = output;
  }

  show(text: string): void {
    const rows = this.#output.height();
    const taking = this.#rows === rows ? '' : this.#take(rows);
    this.#output.write(
      `${taking}${SAVE}${to(rows)}${truncate(text, this.#output.width() - 1)}${CLEAR_RIGHT}${RESTORE}`,
    );
  }

  close(): void {
    if (this.#rows === undefined) return;
    this.#output.write(`${SAVE}${WHOLE}${to(this.#rows)}${CLEAR_RIGHT}${RESTORE}`);
    this.#rows = undefined;
  }

  /** The cursor may stand in the last row: what is there moves up first, and the cursor stays in its column. */
  #take(rows: number): string {
    const before = this.#rows;
    this.#rows = rows;
    const leaving = before === undefined ? '' : `${SAVE}${WHOLE}${to(before)}${CLEAR_RIGHT}${RESTORE}`;
    return `${leaving}${DOWN}${UP}${SAVE}\x1b[1;${rows - 1}r${RESTORE}`;
  }
}

const SAVE = '\x1b7';
const RESTORE = '\x1b8';
/** Not a line feed, which a terminal's driver makes a return of too. */
const DOWN = '\x1bD';
const UP = '\x1b[1A';
const CLEAR_RIGHT = '\x1b[K';
/** All rows scroll. */
const WHOLE = '\x1b[r';
const to = (row: number): string => `\x1b[${row};1H`;
