import { plainText } from '../plain-text.ts';

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Most characters of one text. A name out of a trace may have any length, and a page of them must stay readable. */
const MOST_CHARACTERS = 2000;

/** A text from elsewhere that a page can only show: for content and for quoted attributes alike. */
export function escapeHtml(text: string): string {
  const plain = plainText(text);
  // By characters, not by halves of them.
  const cut =
    plain.length > MOST_CHARACTERS ? `${plain.slice(0, MOST_CHARACTERS).replace(/[\ud800-\udbff]$/, '')}…` : plain;
  return cut.replace(/[&<>"']/g, char => ENTITIES[char] ?? '');
}
