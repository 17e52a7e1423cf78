import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { systemPath, textOfName } from './path-bytes.ts';

describe('a name that is bytes', () => {
  it('is text, and leads back to the same bytes, whatever they are', () => {
    const bytes = fc.oneof(
      fc.uint8Array({ maxLength: 12 }),
      fc.string({ unit: 'grapheme' }).map(text => new Uint8Array(Buffer.from(text))),
      fc
        .array(fc.constantFrom(0x61, 0xc3, 0xa9, 0xed, 0xb2, 0x80, 0xf0, 0x9f, 0x98, 0xff))
        .map(list => Uint8Array.from(list)),
    );
    fc.assert(
      fc.property(bytes, raw => {
        const back = systemPath(textOfName(Buffer.from(raw)));
        expect(Buffer.from(back as string).equals(raw)).toBe(true);
      }),
      { numRuns: 1000 },
    );
  });

  it('is what it was where it is UTF-8', () => {
    expect(textOfName(Buffer.from('Grüße 😀'))).toBe('Grüße 😀');
    expect(systemPath('Grüße 😀 \u{1f480}')).toBe('Grüße 😀 \u{1f480}');
    expect(textOfName(Buffer.from('caf\xe9.txt', 'latin1'))).toBe('caf\udce9.txt');
    expect(systemPath('caf\udce9.txt')).toEqual(Buffer.from('caf\xe9.txt', 'latin1'));
  });
});
