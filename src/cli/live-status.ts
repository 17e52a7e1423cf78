import { plainText } from '../report/plain-text.ts';
import type { Context } from './context.ts';
import { StatusRow } from './status-row.ts';

const QUIET_MS = 10_000;

/** Live status of a program: in the last row of a terminal, elsewhere a line every ten seconds. */
export class LiveStatus {
  readonly #context: Context;
  readonly #row: StatusRow | undefined;
  readonly #forget: () => void;
  #said: number;

  constructor(context: Context) {
    this.#context = context;
    const { err } = context.terminal;
    this.#row = err.isLive && err.height() > 2 ? new StatusRow(err) : undefined;
    this.#said = context.now();
    this.#forget = context.atExit(() => this.#row?.close());
  }

  show(status: string): void {
    const line = plainText(`venturi: ${status}`);
    if (this.#row !== undefined) this.#row.show(line);
    else if (this.#context.now() - this.#said >= QUIET_MS) {
      this.#said = this.#context.now();
      this.#context.terminal.err.write(`${line}\n`);
    }
  }

  close(): void {
    this.#row?.close();
    this.#forget();
  }
}
