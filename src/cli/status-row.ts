import { truncate } from '../report/width.ts';
import type { Output } from './terminal.ts';

/**
 * Status in the last row of a terminal that another program writes to: the scroll region (DECSTBM) leaves that row out, and the
 * program's output is not changed. Every update is a single write, so that none of that output falls into it. It must be closed
 * however the process ends.
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

  /** Sets the scroll region. The cursor may be in the last row: its line scrolls up first, and the cursor keeps its column. */
  #take(rows: number): string {
    const before = this.#rows;
    this.#rows = rows;
    const leaving = before === undefined ? '' : `${SAVE}${WHOLE}${to(before)}${CLEAR_RIGHT}${RESTORE}`;
    return `${leaving}${DOWN}${UP}${SAVE}\x1b[1;${rows - 1}r${RESTORE}`;
  }
}

const SAVE = '\x1b7';
const RESTORE = '\x1b8';
/** IND, because the terminal driver adds a carriage return to a line feed. */
const DOWN = '\x1bD';
const UP = '\x1b[1A';
const CLEAR_RIGHT = '\x1b[K';
/** All rows scroll. */
const WHOLE = '\x1b[r';
const to = (row: number): string => `\x1b[${row};1H`;
