import type { HeadingBlock, ListBlock, ListItem, ParagraphBlock, Tone } from './tree.ts';

export const heading = (text: string, note?: string): HeadingBlock => ({ type: 'heading', text, note });

export const paragraph = (text: string, tone?: Tone): ParagraphBlock => ({ type: 'paragraph', text, tone });

export const list = (texts: readonly string[], mark?: ListItem['mark']): ListBlock => ({
  type: 'list',
  items: texts.map(text => ({ text, mark })),
});
