import { deflateRawSync } from 'node:zlib';
import { byteSize } from '../../report/format.ts';
import { escapeHtml } from '../../report/html/escape.ts';
import { renderHtml } from '../../report/html/html.ts';
import { REPORT_STYLE } from '../../report/html/style.ts';
import type { PageDocument, PageSection } from '../../report/page/document.ts';
import { encodePage } from '../../report/page/encoding.ts';
import { packTiles } from '../../report/page/pack-tiles.ts';
import { selfContained } from '../../report/page/self-contained.ts';
import { pagePolicy } from './page-policy.ts';
import type { RunPage } from './run-page.ts';

/** What a file that is mailed may take: most mail servers take 10 to 25 MB. */
const MOST_BYTES = 10e6;
/** Rows of a table or graph in what is readable without JavaScript. */
const MOST_ROWS = 200;

export interface PageFile {
  readonly html: string;
  readonly document: PageDocument;
}

/**
 * A page as one file that can be mailed, of at most 10 MB: sections first, then the timeline, level by level from the coarsest on. What does not fit
 * is left out, and said.
 */
export function pageFile(template: string, { document, pyramid }: RunPage, mostBytes = MOST_BYTES): PageFile {
  const readable = readableOf(document);
  const room = mostBytes - Buffer.byteLength(template) - Buffer.byteLength(readable);
  const fitting = fittingSections(document.sections, room);
  const timeline = fitting.sections.find(section => section.kind === 'timeline');
  const left = room - fitting.bytes - RESERVED_BYTES;
  const packed =
    pyramid === undefined || timeline === undefined
      ? undefined
      : packTiles(pyramid, bytes => deflateRawSync(bytes).toString('base64'), left / PACKED_SHARE);
  const finest = packed?.finest ?? 0;
  const held: PageDocument = {
    ...document,
    dropped: [...document.dropped, ...fitting.dropped, ...(finest === 0 ? [] : [DETAIL])],
    sections: fitting.sections.map(section =>
      section.kind === 'timeline' ? { ...section, data: { ...section.data, finest } } : section,
    ),
  };
  const html = selfContained(template, { document: held, tiles: packed?.tiles ?? {}, readable: readableOf(held) });
  return { html: withPolicy(html), document: held };
}

/** The policy stands in the file itself, where no server sends it. */
const withPolicy = (html: string): string =>
  html.replace(
    '<head>',
    () => `<head>\n<meta http-equiv="Content-Security-Policy" content="${pagePolicy(html, 'file')}">`,
  );

const DETAIL = 'Details of the timeline: shown as wide as here, it has the finest bins that 10 MB have room for.';
/** For the addresses of tiles beside their bytes, and for what is said of what was left out. */
const PACKED_SHARE = 1.1;
const RESERVED_BYTES = 20_000;

/** The first sections that fit together, and what is said of the others. */
function fittingSections(sections: readonly PageSection[], room: number) {
  const kept: PageSection[] = [];
  const dropped: string[] = [];
  let bytes = 0;
  for (const section of sections) {
    const size = Buffer.byteLength(encodePage(section));
    if (bytes + size + RESERVED_BYTES > room) dropped.push(`“${section.title}”, ${byteSize(size)}.`);
    else {
      kept.push(section);
      bytes += size;
    }
  }
  return { sections: kept, dropped, bytes };
}

/** Verdict, graphs and tables as plain markup. */
function readableOf({ title, sections, redacted, dropped }: PageDocument): string {
  const says = redacted
    ? 'Paths, arguments and names of machines were left out of this page.'
    : 'This page holds paths and arguments as they were recorded.';
  const notes = [says, ...dropped.map(text => `Left out: ${text}`)];
  const reports = sections.map(
    section =>
      `<h2 class="part" id="${idOf(section)}">${escapeHtml(section.title)}</h2>\n${renderHtml(section.blocks, { mostRows: MOST_ROWS })}`,
  );
  const told = renderHtml([{ type: 'list', items: notes.map(text => ({ text })) }]);
  return `<noscript><style>${REPORT_STYLE}</style></noscript>\n<h1 class="part">${escapeHtml(title)}</h1>\n${listOf(sections)}${reports.join('')}${told}`;
}

const idOf = ({ id }: PageSection): string => `part-${escapeHtml(id)}`;

/** Of sections, folded: phones have no room beside them. */
function listOf(sections: readonly PageSection[]): string {
  const links = sections.map(section => `<li><a href="#${idOf(section)}">${escapeHtml(section.title)}</a></li>`);
  return `<nav class="report" aria-label="Sections"><details><summary>Sections</summary><ul>${links.join('')}</ul></details></nav>\n`;
}
