import { plainText } from '../report/plain-text.ts';
import type { Attendant } from '../workflow/attendant.ts';
import { type Context, withLongWork } from './context.ts';
import { EXIT } from './exit-codes.ts';
import { LiveStatus } from './live-status.ts';
import { type WatchedRun, watchBeside } from './watching.ts';

/** Runs `work` with the terminal as its attendant, and prints its result by `tell`, which returns the exit code. */
export async function attended<T extends object>(
  context: Context,
  asJson: boolean,
  work: (attendant: Attendant) => Promise<T>,
  tell: (result: T) => number | Promise<number>,
  /** Serve the page of what is recorded meanwhile, and open it or not. */
  watch?: { readonly isOpened: boolean } | undefined,
): Promise<number> {
  const { out, err } = context.terminal;
  const { ask } = context;
  let result: T | undefined;
  const interrupted = await withLongWork(context, asJson, async ({ progress, interruption }) => {
    const live = new LiveStatus(context);
    const { signal } = interruption;
    let watched: Promise<WatchedRun> | undefined;
    const say = (line: string): void => progress.say(plainText(line));
    try {
      result = await work({
        say: (line, tone) => progress.say(tone === undefined ? plainText(line) : err.colour(tone, plainText(line))),
        warn: ({ message }) => progress.say(`${err.colour('warn', 'warning:')} ${plainText(message)}`),
        update: figures => progress.update(figures),
        status: line => (line === undefined ? live.close() : live.show(line)),
        ...(watch && {
          recording: folder => {
            watched = watchBeside(folder, watch.isOpened, say, context);
          },
        }),
        ask: ask && (question => ask(question, signal)),
        signal,
        onSignal: handle => interruption.handleBy(handle),
        isTerminal: out.isLive || err.isLive,
      });
    } finally {
      await (await watched)?.end();
      live.close();
    }
    return interruption.exitCode ?? EXIT.fine;
  });
  if (result === undefined) return interrupted;
  const code = await tell(result);
  return interrupted === EXIT.fine ? code : interrupted;
}
