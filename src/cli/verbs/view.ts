import type { Command } from 'commander';
import { VenturiError } from '../../model/errors.ts';
import { byteSize } from '../../report/format.ts';
import { plainText } from '../../report/plain-text.ts';
import { shellWord } from '../../report/shell-word.ts';
import { openBrowser } from '../browser.ts';
import { type Context, withLongWork } from '../context.ts';
import { EXIT } from '../exit-codes.ts';
import { printJson } from '../terminal.ts';

interface AddressFlags {
  readonly open: boolean;
  readonly json?: boolean;
}

interface ViewFlags extends AddressFlags {
  readonly out?: string;
  readonly full?: boolean;
  readonly with?: string;
}

export function addViewVerb(program: Command, context: Context, finish: (code: number) => void): void {
  program
    .command('view')
    .summary('open the page of a recorded run in a browser, or write it into a file')
    .description(
      'Serves the page of a recorded run, or of a trace that a profiler wrote, to this machine alone, until Ctrl-C. Its address holds a ' +
        'secret that lets nobody else in. With --out it is one file that can be mailed.',
    )
    .argument('<run>', 'the folder NAME.venturi of a recording, or a trace that a profiler wrote')
    .option('--with <run>', 'begin with how it compares with this run: what is faster or slower than there')
    .option('--out <file>', 'write the page into this file instead, without paths and arguments, of at most 10 MB')
    .option('--full', 'with --out: with paths and arguments as they were recorded')
    .option('--no-open', 'print the address, and leave the browser alone')
    .option('--json', 'print the address, or what was written, as JSON')
    .action(async (run: string, flags: ViewFlags) => {
      if (flags.full === true && flags.out === undefined) {
        throw new VenturiError('VENTURI_USAGE', '--full is of a file: a page that is served is always full.', {
          remedy: `venturi view ${shellWord(run)} --out page.html --full`,
        });
      }
      const { out } = flags;
      finish(await (out === undefined ? serveVerb(run, flags, context) : writeVerb(run, out, flags, context)));
    });
}

async function writeVerb(run: string, out: string, flags: ViewFlags, context: Context): Promise<number> {
  const { full, json, with: other } = flags;
  const { writePage } = await import('../../workflow/page/write-page.ts');
  const written = await writePage(run, { out, full, other });
  if (json === true) {
    printJson(written, context.terminal.out);
    return EXIT.fine;
  }
  const { err } = context.terminal;
  const holds = written.redacted ? 'paths and arguments are left out (--full keeps them)' : 'with paths and arguments';
  err.write(`written to ${plainText(out)}, ${byteSize(written.bytes)}; ${holds}\n`);
  for (const text of written.dropped) err.write(`${err.colour('muted', plainText(`left out: ${text}`))}\n`);
  return EXIT.fine;
}

async function serveVerb(run: string, flags: ViewFlags, context: Context): Promise<number> {
  const [{ recordedPage }, { servePage }, { againstOther }, { pageTemplate }] = await Promise.all([
    import('../../server/run-page.ts'),
    import('../../server/page-server.ts'),
    import('../../workflow/page/compared-page.ts'),
    import('../../workflow/page/page-template.ts'),
  ]);
  return withLongWork(context, flags.json === true, async ({ progress, interruption: { signal } }) => {
    const source = recordedPage(run, {
      first: flags.with === undefined ? [] : [await againstOther(run, flags.with)],
    });
    // What cannot be read is refused here, and not in the browser.
    await source.document();
    const server = await servePage(pageTemplate(), source);
    // Nothing in it will change.
    server.events.end();
    tellAddress(server.url, flags, context);
    progress.say('Ctrl-C closes the page');
    await aborted(signal);
    await server.close();
    return EXIT.fine;
  });
}

/** The address is the result: it goes to standard output. */
export function tellAddress(url: string, { open, json }: AddressFlags, context: Context): void {
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
