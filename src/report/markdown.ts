import type { Canvas } from './canvas.ts';
import { UNICODE } from './charset.ts';
import { graphLines } from './graph.ts';
import { escapeHtml } from './html/escape.ts';
import { plainText } from './plain-text.ts';
import type { Block, Cell, CodeLine, FactsBlock, HeadingBlock, ListBlock, Report, TableBlock } from './tree.ts';

export interface MarkdownOptions {
  /** Rows shown of a table and nodes of a graph; how many more there are is said below them. */
  readonly mostRows?: number;
}

/** Rows and nodes: a comment of a pull request may have 65,536 characters in all. */
const MOST_ROWS = 100;
/** Cells of a line of the graph, which is not wrapped. */
const GRAPH_WIDTH = 90;
/** Most characters of one text. */
const MOST_CHARACTERS = 500;

/**
 * A report as GitHub's Markdown, for a pull request: the verdict first, graphs as text, and tables under their headings folded, except the
 * first.
 */
export function renderMarkdown(report: Report, { mostRows = MOST_ROWS }: MarkdownOptions = {}): string {
  const sections = sectionsOf(report);
  const first = sections.find(hasTable);
  return sections.map(section => sectionText(section, section === first, mostRows)).join('');
}

interface Section {
  readonly heading: HeadingBlock | undefined;
  readonly blocks: Exclude<Block, HeadingBlock>[];
}

function sectionsOf(report: Report): Section[] {
  const sections: Section[] = [{ heading: undefined, blocks: [] }];
  for (const block of report) {
    if (block.type === 'heading') sections.push({ heading: block, blocks: [] });
    else sections.at(-1)?.blocks.push(block);
  }
  return sections;
}

const hasTable = ({ heading, blocks }: Section): boolean =>
  heading !== undefined && blocks.some(({ type }) => type === 'table' || type === 'facts');

function sectionText(section: Section, isOpen: boolean, mostRows: number): string {
  const { heading, blocks } = section;
  const inner = blocks.map(block => `${blockText(block, mostRows)}\n\n`).join('');
  if (heading === undefined) return inner;
  const note = heading.note ?? '';
  if (!hasTable(section)) {
    return `### ${markdownText(heading.text)}\n\n${note === '' ? '' : `${markdownText(note)}\n\n`}${inner}`;
  }
  // Markup up to the next empty line: what is Markdown there is shown as it is.
  const title = `<summary><b>${markupText(heading.text)}</b>${note === '' ? '' : ` ${markupText(note)}`}</summary>`;
  return `<details${isOpen ? ' open' : ''}>\n${title}\n\n${inner}</details>\n\n`;
}

function blockText(block: Exclude<Block, HeadingBlock>, mostRows: number): string {
  switch (block.type) {
    case 'verdict': {
      const fix = block.fix === undefined ? '' : `\n\n→ ${markdownText(block.fix)}`;
      return `**${markdownText(block.text)}**${fix}`;
    }
    case 'paragraph':
    case 'summary':
      return lineStart(markdownText(block.text));
    case 'list':
      return listText(block);
    case 'facts':
      return tableText(factsTable(block), mostRows);
    case 'table':
      return tableText(block, mostRows);
    case 'graph': {
      const { nodes } = block;
      const shown = { ...block, nodes: nodes.slice(0, mostRows) };
      return `${fenced(graphLines(shown, CANVAS).map(text => ({ text: text.trimEnd() })))}${leftOut(nodes.length, mostRows, 'operators')}`;
    }
    case 'code':
      return fenced(block.lines.map(({ text }) => ({ text: codeText(text) })));
  }
}

const CANVAS: Canvas = {
  width: GRAPH_WIDTH,
  signs: UNICODE,
  clean: plainText,
  colour: (_, text) => text,
};

function listText({ items }: ListBlock): string {
  return items
    .map(({ text, mark, remedy }) => {
      const sign = mark === undefined || mark === 'point' ? '' : `${UNICODE[mark]} `;
      return `- ${lineStart(sign + markdownText(text))}${remedy === undefined ? '' : `<br>→ ${markdownText(remedy)}`}`;
    })
    .join('\n');
}

const factsTable = ({ items }: FactsBlock): TableBlock => ({
  type: 'table',
  columns: [
    { title: '', align: 'left' },
    { title: '', align: 'right' },
    { title: '', align: 'left' },
  ],
  rows: items.map(({ label, value, note }) => [label, value, note ?? '']),
});

function tableText({ columns, rows }: TableBlock, mostRows: number): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return (
    [
      line(columns.map(({ title }) => markdownText(title))),
      line(columns.map(({ align }) => (align === 'right' ? '---:' : '---'))),
      ...rows.slice(0, mostRows).map(row => line(columns.map((_, at) => cellText(row[at] ?? '')))),
    ].join('\n') + leftOut(rows.length, mostRows, 'rows')
  );
}

const leftOut = (count: number, most: number, noun: string): string =>
  count <= most ? '' : `\n\n${count - most} more ${noun} are not shown here.`;

function cellText(cell: Cell): string {
  if (typeof cell === 'string') return markdownText(cell);
  const text = markdownText(cell.text);
  return text !== '' && (cell.tone === 'strong' || cell.tone === 'bad') ? `**${text.trim()}**` : text;
}

/** Lines as they are. The fence is longer than any in them. */
function fenced(lines: readonly CodeLine[]): string {
  const longest = Math.max(2, ...lines.flatMap(({ text }) => [...text.matchAll(/`+/g)].map(([run]) => run.length)));
  const fence = '`'.repeat(longest + 1);
  return [`${fence}text`, ...lines.map(({ text }) => text), fence].join('\n');
}

function codeText(text: string): string {
  const indent = /^ */.exec(text)?.[0] ?? '';
  return indent + plainText(text.slice(indent.length));
}

/** A character that shows nothing and joins what stands around it. */
const WORD_JOINER = '\u2060';
const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/**
 * A text from elsewhere as one line that Markdown shows as it is: no emphasis, code, link, picture, markup, formula or cell border. A name
 * such as `@somebody` or `#12` must not notify or link anybody either, for which GitHub looks in what is shown: no escape helps there.
 */
export function markdownText(text: string): string {
  const plain = plainText(text).trim();
  const cut =
    plain.length > MOST_CHARACTERS ? `${plain.slice(0, MOST_CHARACTERS).replace(/[\ud800-\udbff]$/, '')}…` : plain;
  return unlinked(cut.replace(/[\\`*_{}[\]|~$^]/g, '\\$&').replace(/[&<>]/g, char => ENTITIES[char] ?? ''));
}

const unlinked = (text: string): string =>
  text
    .replace(/@(?=\w)/g, `@${WORD_JOINER}`)
    .replace(/(?<!&)#(?=[1-9])/g, `#${WORD_JOINER}`)
    .replace(/\b(https?|ftp):\/\//gi, `$1:${WORD_JOINER}//`)
    .replace(/\b(www)\./gi, `$1${WORD_JOINER}.`);

const markupText = (text: string): string => unlinked(escapeHtml(text));

/** What would make a heading, list or rule of a line's beginning. */
const lineStart = (text: string): string =>
  text.replace(/^(?:[-+=#]|\d+[.)])/, marker => `${marker.slice(0, -1)}\\${marker.slice(-1)}`);
