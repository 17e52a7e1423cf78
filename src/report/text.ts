import type { Canvas } from './canvas.ts';
import { ASCII, UNICODE } from './charset.ts';
import { graphLines } from './graph.ts';
import { plainText } from './plain-text.ts';
import { tableLines } from './table.ts';
import type { Block, FactsBlock, ListBlock, Report, Tone } from './tree.ts';
import { pad, textWidth, truncate, wrap } from './width.ts';

export interface TextOptions {
  /** Cells of a line. */
  readonly width: number;
  /** Colours a text that is laid out already; absent for plain text. */
  readonly colour?: (tone: Tone, text: string) => string;
  readonly charset?: 'unicode' | 'ascii';
}

/** A report as lines of text, none wider than asked. Ends with a line break where there is anything to say. */
export function renderText(report: Report, options: TextOptions): string {
  const signs = options.charset === 'ascii' ? ASCII : UNICODE;
  const canvas: Canvas = {
    width: Math.max(20, Math.floor(options.width)),
    signs,
    clean: text => signs.text(plainText(text)),
    colour: (tone, text) => (tone === undefined ? text : (options.colour?.(tone, text) ?? text)),
  };
  const lines: string[] = [];
  let before: Block | undefined;
  for (const block of report) {
    // A heading stands right above its block; an empty line separates all others.
    if (before !== undefined && before.type !== 'heading') lines.push('');
    for (const line of blockLines(block, canvas)) lines.push(line);
    before = block;
  }
  return lines.length === 0 ? '' : `${lines.map(line => line.trimEnd()).join('\n')}\n`;
}

function blockLines(block: Block, canvas: Canvas): string[] {
  switch (block.type) {
    case 'verdict': {
      const lines = wrap(canvas.clean(block.text), canvas.width).map(line =>
        canvas.colour(block.tone ?? 'strong', line),
      );
      if (block.fix === undefined) return lines;
      return [...lines, ...hanging(`${canvas.signs.arrow} `, block.fix, 'accent', canvas)];
    }
    case 'heading': {
      const title = truncate(canvas.clean(block.text), canvas.width, canvas.signs.ellipsis);
      const room = canvas.width - textWidth(title) - 2;
      const note = block.note === undefined ? '' : truncate(canvas.clean(block.note), room, canvas.signs.ellipsis);
      return [canvas.colour('strong', title) + (note === '' ? '' : `  ${canvas.colour('muted', note)}`)];
    }
    case 'paragraph':
    case 'summary':
      return wrap(canvas.clean(block.text), canvas.width).map(line => canvas.colour(block.tone, line));
    case 'list':
      return listLines(block, canvas);
    case 'facts':
      return factLines(block, canvas);
    case 'table':
      return tableLines(block, canvas);
    case 'graph':
      return graphLines(block, canvas);
    case 'code':
      return block.lines.map(({ text, tone }) => canvas.colour(tone, canvas.clean(text)));
  }
}

/** A text behind a mark, its further lines indented to stand below the first. */
function hanging(mark: string, text: string, tone: Tone | undefined, canvas: Canvas): string[] {
  const indent = ' '.repeat(textWidth(mark));
  const lines = wrap(canvas.clean(text), Math.max(8, canvas.width - indent.length));
  return lines.map((line, i) => `${i === 0 ? canvas.colour(tone, mark) : indent}${line}`);
}

function listLines(block: ListBlock, canvas: Canvas): string[] {
  return block.items.flatMap(item => {
    const mark = item.mark ?? 'point';
    const lines = hanging(`  ${canvas.signs[mark]} `, item.text, mark === 'point' ? 'muted' : mark, canvas);
    if (item.remedy === undefined) return lines;
    return [...lines, ...hanging(`    ${canvas.signs.arrow} `, item.remedy, 'accent', canvas)];
  });
}

function factLines(block: FactsBlock, canvas: Canvas): string[] {
  const items = block.items.map(item => ({
    label: canvas.clean(item.label),
    value: canvas.clean(item.value),
    note: canvas.clean(item.note ?? ''),
  }));
  const widest = (texts: string[]): number => texts.reduce((width, text) => Math.max(width, textWidth(text)), 0);
  const labels = Math.min(widest(items.map(item => item.label)), Math.floor(canvas.width / 2));
  const values = Math.min(widest(items.map(item => item.value)), canvas.width - labels - 4);
  return items.map(({ label, value, note }) => {
    const { ellipsis } = canvas.signs;
    const line = `  ${pad(truncate(label, labels, ellipsis), labels, 'left')}  ${pad(truncate(value, values, ellipsis), values, 'right')}`;
    const room = canvas.width - textWidth(line) - 2;
    if (note === '' || room < 8) return line;
    return `${line}  ${canvas.colour('muted', truncate(note, room, ellipsis))}`;
  });
}
