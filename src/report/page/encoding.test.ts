import { describe, expect, test } from 'vitest';
import type { PageDocument } from './document.ts';
import { decodePage, decodeSection, encodePage } from './encoding.ts';

const document: PageDocument = {
  schema: 'venturi.page/1',
  title: '</script><script>alert(1)</script>\u2028&amp;',
  madeAt: '2026-11-18T12:00:00.000Z',
  redacted: true,
  dropped: [],
  sections: [
    {
      kind: 'timeline',
      id: 'timeline',
      title: 'Timeline',
      blocks: [{ type: 'paragraph', text: '<!-- & -->' }],
      data: {
        durationNs: Number.NaN,
        spans: Number.POSITIVE_INFINITY,
        lanes: [],
        subjects: [],
        binNs: Number.NEGATIVE_INFINITY,
        finest: 0,
        coarsest: 1,
        arrows: [],
      },
    },
  ],
};

describe('a page document as text', () => {
  test('comes back as it was, with numbers that JSON has not', () => {
    expect(decodePage(encodePage(document))).toEqual(document);
    const [section] = document.sections;
    if (section !== undefined) expect(decodeSection(encodePage(section))).toEqual(section);
  });

  test('cannot end the element it stands in', () => {
    expect(encodePage(document)).not.toMatch(/[<>&\u2028\u2029]/);
  });
});
