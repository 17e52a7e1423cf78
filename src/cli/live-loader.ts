import type { RecentLoader } from '../analysis/batches/recent.ts';
import { batchCount, percent, rate } from '../report/format.ts';
import { plainText } from '../report/plain-text.ts';
import type { Context } from './context.ts';
import { StatusRow } from './status-row.ts';

const QUIET_MS = 10_000;

/** Short enough for a line of 80 cells. */
const LIMITS: Readonly<Record<RecentLoader['bound'], string>> = {
  preparation: 'limit: preparation',
  order: 'limit: order',
  transfer: 'limit: handing over',
  consumer: 'limit: consumer',
  start: 'limit: start of workers',
  balanced: 'nearly keeps up',
  unclear: 'too few to say more',
};

const loaderLine = ({ loader, batches, batchesPerSecond, waitShare, bound }: RecentLoader): string =>
  plainText(
    `venturi: ${loader}  ${batchCount(batches)}  ${rate(batchesPerSecond)}  waits ${percent(waitShare)}  ${LIMITS[bound]}`,
  );

/** Live figures of a loader: in the last row of a terminal, elsewhere a line every ten seconds. */
export class LiveLoader {
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

  update(recent: RecentLoader): void {
    const line = loaderLine(recent);
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
