import type { Watching } from '../server/run-page.ts';
import { openBrowser } from './browser.ts';
import type { Context } from './context.ts';

/** A page beside a run that is being recorded. */
export interface WatchedRun {
  /** Gives open pages the end of the run, and closes the server. */
  end(): Promise<void>;
}

/** Serves the page of a run that is recorded into `folder`, and says where. Whatever goes wrong with it, the run goes on. */
export async function watchBeside(
  folder: string,
  isOpened: boolean,
  say: (line: string) => void,
  context: Context,
): Promise<WatchedRun> {
  let watching: Watching;
  try {
    const [{ watchRun }, { pageTemplate }] = await Promise.all([
      import('../server/run-page.ts'),
      import('../workflow/page/page-template.ts'),
    ]);
    watching = await watchRun(folder, pageTemplate());
  } catch (error) {
    say(`warning: this run cannot be watched: ${error instanceof Error ? error.message : String(error)}`);
    return { end: async () => undefined };
  }
  const { server, ended, stop } = watching;
  const told = ended.then(
    () => undefined,
    () => undefined,
  );
  say(`watch it at ${server.url}`);
  if (isOpened) openBrowser(server.url, context);
  return {
    end: async () => {
      stop();
      await told;
      await server.close();
    },
  };
}
