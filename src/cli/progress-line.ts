import { byteRate, coreCount, decimal, percent, plural, rate, time } from '../report/format.ts';
import { plainText } from '../report/plain-text.ts';
import { textWidth, truncate } from '../report/width.ts';
import type { LiveProgress } from '../workflow/index.ts';
import type { Output, Terminal } from './terminal.ts';

const REDRAW_MS = 200;
const QUIET_MS = 10_000;
const BAR = 20;

const HIDE_CURSOR = '\x1b[?25l';
const SHOW_CURSOR = '\x1b[?25h';
const CLEAR_LINE = '\r\x1b[K';

/**
 * Progress of long work: on a terminal one line that is redrawn, elsewhere a line every ten seconds. It hides the cursor, so it
 * must be closed however the process ends.
 */
export class ProgressLine {
  readonly #output: Output;
  readonly #charset: Terminal['charset'];
  readonly #now: () => number;
  #shown: number | undefined;
  #isDrawn = false;

  /** `now` in ms. */
  constructor(output: Output, charset: Terminal['charset'], now: () => number) {
    this.#output = output;
    this.#charset = charset;
    this.#now = now;
    this.#shown = output.isLive ? undefined : now();
  }

  update(progress: LiveProgress): void {
    const moment = this.#now();
    const pause = this.#output.isLive ? REDRAW_MS : QUIET_MS;
    if (this.#shown !== undefined && moment - this.#shown < pause) return;
    this.#shown = moment;
    if (!this.#output.isLive) {
      this.#output.write(`${[time(progress.seconds * 1e9), ...figures(progress)].join('  ')}\n`);
      return;
    }
    const line = liveLine(progress, this.#output.width() - 1, this.#charset);
    this.#output.write(`${this.#isDrawn ? '' : HIDE_CURSOR}${CLEAR_LINE}${line}`);
    this.#isDrawn = true;
  }

  /** A line that stays. */
  say(line: string): void {
    this.#clear();
    this.#output.write(`${line}\n`);
  }

  close(): void {
    this.#clear();
  }

  #clear(): void {
    if (!this.#isDrawn) return;
    this.#output.write(`${CLEAR_LINE}${SHOW_CURSOR}`);
    this.#isDrawn = false;
    this.#shown = undefined;
  }
}

function figures(progress: LiveProgress): string[] {
  const { elements, elementsPerSecond, bytesPerSecond, coresBusy, coresUsable, done, etaSeconds } = progress;
  return [
    plural(elements, 'element'),
    rate(elementsPerSecond),
    byteRate(bytesPerSecond),
    `${decimal(coresBusy)} of ${coreCount(coresUsable)}`,
    ...(done === undefined ? [] : [percent(done)]),
    ...(etaSeconds === undefined ? [] : [`${time(etaSeconds * 1e9)} left`]),
  ];
}

/** Figures that fit into the width: the bar is dropped first, then figures from the left; the remaining time is last. */
export function liveLine(progress: LiveProgress, width: number, charset: Terminal['charset']): string {
  let parts = figures(progress);
  const wide = [...parts];
  if (progress.done !== undefined) wide.splice(4, 0, bar(progress.done, charset));
  if (textWidth(wide.join('  ')) <= width) return wide.join('  ');
  while (parts.length > 1 && textWidth(parts.join('  ')) > width) parts = parts.slice(1);
  return truncate(plainText(parts.join('  ')), width);
}

function bar(done: number, charset: Terminal['charset']): string {
  const [full, empty] = charset === 'ascii' ? ['#', '.'] : ['█', '░'];
  const filled = Math.round(Math.min(1, Math.max(0, done)) * BAR);
  return full.repeat(filled) + empty.repeat(BAR - filled);
}
