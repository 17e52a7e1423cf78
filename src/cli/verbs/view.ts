import type { Command } from 'commander';
import { openBrowser } from '../browser.ts';
import { type Context, withLongWork } from '../context.ts';
import { EXIT } from '../exit-codes.ts';
import { printJson } from '../terminal.ts';

interface ViewFlags {
  readonly open: boolean;
  readonly json?: boolean;
}

export function addViewVerb(program: Command, context: Context, finish: (code: number) => void): void {
  program
    .command('view')
    .summary('open the page of a recorded run in a browser')
    .description(
      'Serves the page of a recorded run, or of a trace that a profiler wrote, to this machine alone, until Ctrl-C. Its address holds a ' +
        'secret that lets nobody else in.',
    )
    .argument('<run>', 'the folder NAME.venturi of a recording, or a trace that a profiler wrote')
    .option('--no-open', 'print the address, and leave the browser alone')
    .option('--json', 'print the address as JSON')
    .action(async (run: string, flags: ViewFlags) => finish(await viewVerb(run, flags, context)));
}

async function viewVerb(run: string, flags: ViewFlags, context: Context): Promise<number> {
  const [{ recordedPage }, { servePage }, { pageTemplate }] = await Promise.all([
    import('../../server/run-page.ts'),
    import('../../server/page-server.ts'),
    import('../../server/page-template.ts'),
  ]);
  return withLongWork(context, flags.json === true, async ({ progress, interruption: { signal } }) => {
    const source = recordedPage(run);
    // What cannot be read is refused here, and not in the browser.
    await source.document();
    const server = await servePage(pageTemplate(), source);
    tellAddress(server.url, flags, context);
    progress.say('Ctrl-C closes the page');
    await aborted(signal);
    await server.close();
    return EXIT.fine;
  });
}

/** The address is the result: it goes to standard output. */
export function tellAddress(url: string, { open, json }: ViewFlags, context: Context): void {
  const { out } = context.terminal;
  if (json === true) printJson({ schemaVersion: 1, url }, out);
  else out.write(`${url}\n`);
  if (open) openBrowser(url, context);
}

export const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise(resolve => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
