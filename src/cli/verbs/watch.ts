import type { Command } from 'commander';
import { type Context, withLongWork } from '../context.ts';
import { EXIT } from '../exit-codes.ts';
import { aborted, tellAddress } from './view.ts';

interface WatchFlags {
  readonly open: boolean;
  readonly json?: boolean;
}

export function addWatchVerb(program: Command, context: Context, finish: (code: number) => void): void {
  program
    .command('watch')
    .summary('open the page of a run while it is recorded')
    .description(
      'Serves the page of a run that is being recorded, and brings it up to date every second: states, rates, what limits it now, and what ' +
        'did before. The run does not notice. Once it has ended, the page shows the whole recording, until Ctrl-C.',
    )
    .argument('<run>', 'the folder NAME.venturi that a run is being recorded into')
    .option('--no-open', 'print the address, and leave the browser alone')
    .option('--json', 'print the address as JSON')
    .action(async (run: string, flags: WatchFlags) => finish(await watchVerb(run, flags, context)));
}

async function watchVerb(run: string, flags: WatchFlags, context: Context): Promise<number> {
  const [{ watchRun }, { pageTemplate }] = await Promise.all([
    import('../../server/run-page.ts'),
    import('../../workflow/page/page-template.ts'),
  ]);
  return withLongWork(context, flags.json === true, async ({ progress, interruption: { signal } }) => {
    const { server, ended, stop } = await watchRun(run, pageTemplate());
    signal.addEventListener('abort', stop, { once: true });
    tellAddress(server.url, flags, context);
    progress.say('Ctrl-C closes the page');
    try {
      const end = await ended;
      if (end === 'complete') progress.say('the run has ended; the page shows all of it');
      if (end === 'abandoned')
        progress.say('the program that recorded this run is gone without ending it; the page shows what was recorded');
      await aborted(signal);
    } finally {
      await server.close();
    }
    return EXIT.fine;
  });
}
