import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { PageDocument } from './document.ts';
import { decodePage } from './encoding.ts';
import { selfContained } from './self-contained.ts';

const template = readFileSync(new URL('../../../web/index.html', import.meta.url), 'utf8');
const hostile: PageDocument = {
  schema: 'venturi.page/1',
  title: `</title><script>alert('$&')</script>`,
  madeAt: '',
  redacted: false,
  dropped: ["$' $` $&", '</script>'],
  sections: [],
};

test('a document goes into the page as it is, and nothing of it becomes markup', () => {
  const page = selfContained(template, { document: hostile, tiles: { '0.0/1/0': 'AAAA' }, readable: '<p>$&</p>' });
  expect(page).toContain('<main id="venturi-content">\n<p>$&</p>\n</main>');
  expect(page.match(/<script/g)).toHaveLength(template.match(/<script/g)?.length ?? 0);
  const text = /id="venturi-document">([^<]*)</.exec(page)?.[1] ?? '';
  expect(decodePage(text)).toEqual(hostile);
  expect(page).toContain('id="venturi-tiles">{"0.0/1/0":"AAAA"}<');
});

test('a template without a place for the document is refused', () => {
  expect(() => selfContained('<html></html>', { document: hostile, tiles: {}, readable: '' })).toThrow(/template/);
});
