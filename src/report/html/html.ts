import type { Block, CodeBlock, FactsBlock, HeadingBlock, ListBlock, Report, Tone } from '../tree.ts';
import { escapeHtml } from './escape.ts';
import { graphFigure } from './graph.ts';
import { MOST_ROWS, tableElement } from './table.ts';

export interface HtmlOptions {
  /** Rows shown of a table or a graph; how many more there are is said below them. */
  readonly mostRows?: number;
}

/**
 * A report as HTML without scripts, event attributes or inline styles: an `article` of class `report`, for which
 * `REPORT_STYLE` has the looks. Everything under a heading can be folded, and is unfolded at first, so that it is printed.
 */
export function renderHtml(report: Report, { mostRows = MOST_ROWS }: HtmlOptions = {}): string {
  const parts: string[] = [];
  let isFolded = false;
  for (const block of report) {
    if (block.type === 'heading') {
      if (isFolded) parts.push('</details>');
      parts.push('<details open>', summary(block));
      isFolded = true;
    } else parts.push(blockElement(block, mostRows));
  }
  if (isFolded) parts.push('</details>');
  return `<article class="report">\n${parts.join('\n')}\n</article>\n`;
}

const summary = ({ text, note }: HeadingBlock): string =>
  `<summary><h2>${escapeHtml(text)}</h2>${note === undefined ? '' : ` <span class="muted">${escapeHtml(note)}</span>`}</summary>`;

function blockElement(block: Exclude<Block, HeadingBlock>, mostRows: number): string {
  switch (block.type) {
    case 'verdict': {
      const fix =
        block.fix === undefined
          ? ''
          : `\n<p class="fix"><span aria-hidden="true">→</span> ${escapeHtml(block.fix)}</p>`;
      return `<div class="verdict">\n<p${toneClass(block.tone ?? 'strong')}>${escapeHtml(block.text)}</p>${fix}\n</div>`;
    }
    case 'paragraph':
    case 'summary':
      return `<p${toneClass(block.tone)}>${escapeHtml(block.text)}</p>`;
    case 'list':
      return listElement(block);
    case 'facts':
      return factsElement(block);
    case 'table':
      return tableElement(block, mostRows);
    case 'graph':
      return graphFigure(block, mostRows);
    case 'code':
      return codeElement(block);
  }
}

const toneClass = (tone: Tone | undefined): string => (tone === undefined ? '' : ` class="${tone}"`);

/** Marks of list items in words, for those who do not see colours. */
const MARKS = { good: 'good:', warn: 'warning:', bad: 'bad:' } as const;

function listElement({ items }: ListBlock): string {
  const lines = items.map(({ text, mark, remedy }) => {
    const said = mark === undefined || mark === 'point' ? '' : `<span class="${mark}">${MARKS[mark]}</span> `;
    const fix =
      remedy === undefined ? '' : `<p class="fix"><span aria-hidden="true">→</span> ${escapeHtml(remedy)}</p>`;
    return `<li>${said}${escapeHtml(text)}${fix}</li>`;
  });
  return `<ul>\n${lines.join('\n')}\n</ul>`;
}

function factsElement({ items }: FactsBlock): string {
  const rows = items.map(({ label, value, note }) => {
    const beside = note === undefined || note === '' ? '' : ` <span class="muted">${escapeHtml(note)}</span>`;
    return `<div><dt>${escapeHtml(label)}</dt><dd>${escapeHtml(value)}${beside}</dd></div>`;
  });
  return `<dl>\n${rows.join('\n')}\n</dl>`;
}

function codeElement({ lines }: CodeBlock): string {
  const texts = lines.map(({ text, tone }) => {
    const line = indented(text);
    return tone === undefined ? line : `<span class="${tone}">${line}</span>`;
  });
  return `<pre tabindex="0"><code>${texts.join('\n')}</code></pre>`;
}

/** The indentation of a line of code is part of it. */
function indented(text: string): string {
  const indent = /^ */.exec(text)?.[0] ?? '';
  return indent + escapeHtml(text.slice(indent.length));
}
