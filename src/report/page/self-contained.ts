import type { PageDocument } from './document.ts';
import type { EmbeddedTiles } from './embedded-tiles.ts';
import { encodePage } from './encoding.ts';

/** What goes into a page's own file. */
export interface PageContents {
  readonly document: PageDocument;
  readonly tiles: EmbeddedTiles;
  /** Markup that is readable without JavaScript; the page takes its place. Names out of traces are escaped in it. */
  readonly readable: string;
}

/** The built page with a document in it: one file that can be mailed and needs no network. */
export function selfContained(template: string, { document, tiles, readable }: PageContents): string {
  const places: readonly (readonly [place: string, text: string])[] = [
    ['<title>Venturi</title>', `<title>${titleOf(document)}</title>`],
    ['<main id="venturi-content"></main>', `<main id="venturi-content">\n${readable}\n</main>`],
    [dataPlace('document', ''), dataPlace('document', encodePage(document))],
    // Base64 and addresses of tiles need no escapes.
    [dataPlace('tiles', ''), dataPlace('tiles', JSON.stringify(tiles))],
  ];
  return places.reduce((page, [place, text]) => {
    if (!page.includes(place)) throw new Error(`the page's template has no ${place}`);
    // A function, since a replacement text would take $& and its kin for commands.
    return page.replace(place, () => text);
  }, template);
}

const dataPlace = (name: string, text: string): string =>
  `<script type="application/json" id="venturi-${name}">${text}</script>`;

const titleOf = ({ title }: PageDocument): string =>
  `${title} · venturi`.replace(/[&<>"']/g, char => `&#${char.charCodeAt(0)};`);
