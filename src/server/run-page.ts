import type { PageSection } from '../report/page/document.ts';
import { encodePage } from '../report/page/encoding.ts';
import { encodeTile } from '../report/page/tile-encoding.ts';
import type { FollowEnd } from '../store/run-follower.ts';
import { LivePage } from '../workflow/page/live-page.ts';
import { runPage } from '../workflow/page/run-page.ts';
import { sectionsOf } from '../workflow/page/sections.ts';
import { type PageServer, servePage } from './page-server.ts';
import type { PageSource } from './page-source.ts';

/** How often a page of a run that goes on is brought up to date. */
const EVERY_MS = 1000;

/** Sections before and behind those of a run. */
interface MoreSections {
  readonly first?: readonly PageSection[];
  readonly last?: readonly PageSection[];
}

/** A recorded run, which does not change: its page is made once. */
export function recordedPage(path: string, { first = [], last = [] }: MoreSections = {}): PageSource {
  const make = async () => {
    const page = await runPage(path);
    const sections = [...first, ...page.document.sections, ...last];
    return { document: Buffer.from(encodePage({ ...page.document, sections })), page };
  };
  let made: ReturnType<typeof make> | undefined;
  const opened = (): ReturnType<typeof make> => {
    made ??= make();
    return made;
  };
  return {
    document: async () => (await opened()).document,
    tile: async (series, level, index) => {
      const tile = (await opened()).page.pyramid?.tile(series, level, index);
      return tile === undefined ? undefined : Buffer.from(encodeTile(tile).buffer);
    },
  };
}

export interface Watching {
  readonly server: PageServer;
  /** Resolves when the run has ended and pages were told; rejects where it cannot be read any more. */
  readonly ended: Promise<FollowEnd>;
  /** Ends following; the server stays until it is closed. */
  stop(): void;
}

/** Serves a run while it is recorded. Whatever becomes of the page, the run does not notice. */
export async function watchRun(path: string, html: string): Promise<Watching> {
  const live = new LivePage(path);
  const stopping = new AbortController();
  let recorded: PageSource | undefined;
  const server = await servePage(html, {
    document: async () => recorded?.document() ?? Buffer.from(encodePage(live.document())),
    tile: async (series, level, index) => recorded?.tile(series, level, index),
  });
  const publish = (section: PageSection): void => server.events.publish(section.id, encodePage(section));
  const tell = (news: ReturnType<LivePage['news']>): void => {
    if ('kind' in news) publish(news);
    else server.events.publish('live', encodePage(news), 'news');
  };
  const timer = setInterval(() => {
    try {
      if (server.events.readers === 0) live.advance();
      else tell(live.news());
    } catch {
      // Nothing that is shown meanwhile may end the run.
      stopping.abort();
    }
  }, EVERY_MS);
  const follow = async (): Promise<FollowEnd> => {
    try {
      const end = await live.follow(stopping.signal);
      const last = live.section();
      recorded = recordedPage(path, { last: [last] });
      publish(last);
      if (server.events.readers > 0) for (const section of await sectionsOf(path)) publish(section);
      return end;
    } finally {
      clearInterval(timer);
      server.events.end();
    }
  };
  return { server, ended: follow(), stop: () => stopping.abort() };
}
