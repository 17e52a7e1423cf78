import { type Signal, signal } from '@preact/signals';
import type { Tile } from '../src/analysis/pyramid/tile.ts';
import type { PageDocument, PageSection } from '../src/report/page/document.ts';
import { type EmbeddedTiles, embeddedTiles, tileAddress } from '../src/report/page/embedded-tiles.ts';
import { decodeNews, decodePage, decodeSection } from '../src/report/page/encoding.ts';
import { type LiveNews, withNews } from '../src/report/page/live-news.ts';
import { decodeTile, splitTiles } from '../src/report/page/tile-encoding.ts';
import type { TileSource } from '../src/report/page/tiles.ts';
import { liveRunReport } from '../src/report/views/live-run.ts';

/** Where the page's data comes from: its own file, or the server that delivered it. */
export interface PageSource {
  readonly document: Signal<PageDocument>;
  readonly tiles: TileSource;
  /** A run that goes on is followed; `ended` when it is over, `lost` when the server is gone. */
  readonly following: Signal<'no' | 'live' | 'ended' | 'lost'>;
}

export async function openSource(page: Document): Promise<PageSource> {
  const own = page.getElementById('venturi-document')?.textContent ?? '';
  if (own.trim() !== '') return fromFile(own, page.getElementById('venturi-tiles')?.textContent ?? '');
  const answer = await fetch('document.json');
  if (!answer.ok) throw new Error(`The server answered ${answer.status} ${answer.statusText}`);
  return followed(decodePage(await answer.text()));
}

function fromFile(text: string, tiles: string): PageSource {
  const packed = (tiles.trim() === '' ? {} : JSON.parse(tiles)) as EmbeddedTiles;
  return {
    document: signal(decodePage(text)),
    tiles: embeddedTiles(packed, unpack),
    following: signal<'no'>('no'),
  };
}

async function unpack(base64: string): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = Uint8Array.from(atob(base64), char => char.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate-raw'));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** Sections replace those with their id as they come; a new one goes last. */
function followed(first: PageDocument): PageSource {
  const document = signal(first);
  const following = signal<'no' | 'live' | 'ended' | 'lost'>('no');
  const events = new EventSource('events');
  let isNews = false;
  events.addEventListener('open', () => {
    following.value = 'live';
  });
  events.addEventListener('section', event => {
    isNews = true;
    document.value = withSection(document.value, decodeSection(String(event.data)));
  });
  const again = async (): Promise<void> => {
    const whole = decodePage(await (await fetch('document.json')).text());
    for (const section of whole.sections) document.value = withSection(document.value, section);
  };
  events.addEventListener('news', event => {
    isNews = true;
    const told = withLiveNews(document.value, decodeNews(String(event.data)));
    // Some were missed, as by a page that slept: it asks for all of it.
    if (told === undefined) again().catch(() => undefined);
    else document.value = told;
  });
  events.addEventListener('end', () => {
    // A run that was over before has nothing more to say.
    following.value = isNews ? 'ended' : 'no';
    events.close();
  });
  events.addEventListener('error', () => {
    if (following.value === 'live') following.value = 'lost';
  });
  return { document, tiles: served, following };
}

export function withSection(document: PageDocument, section: PageSection): PageDocument {
  const isThere = document.sections.some(({ id }) => id === section.id);
  const sections = isThere
    ? document.sections.map(each => (each.id === section.id ? section : each))
    : [...document.sections, section];
  return { ...document, sections };
}

/** Undefined where the section is not there, or other news came between. */
function withLiveNews(document: PageDocument, news: LiveNews): PageDocument | undefined {
  const before = document.sections.find(section => section.kind === 'live');
  const data = before && withNews(before.data, news);
  if (before === undefined || data === undefined) return undefined;
  return data === before.data ? document : withSection(document, { ...before, data, blocks: liveRunReport(data) });
}

/** Series in one request: their keys take some ten characters each, and no address is longer than the server reads. */
const MOST_SERIES = 200;

const served: TileSource = {
  tiles: async (series, level, index) => {
    const parts = Array.from({ length: Math.ceil(series.length / MOST_SERIES) }, (_, part) =>
      series.slice(part * MOST_SERIES, (part + 1) * MOST_SERIES),
    );
    return (await Promise.all(parts.map(part => servedTiles(part, level, index)))).flat();
  },
};

async function servedTiles(series: readonly string[], level: number, index: number): Promise<(Tile | undefined)[]> {
  const answer = await fetch(`tiles/${tileAddress(series.join(','), level, index)}`);
  if (answer.status !== 200) return series.map(() => undefined);
  const bytes = new Uint8Array(await answer.arrayBuffer());
  return series.length === 1 ? [decodeTile(bytes)] : splitTiles(bytes);
}
