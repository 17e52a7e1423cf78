import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { plainText } from './plain-text.ts';

describe('plain text', () => {
  test.each([
    ['colour', '\x1b[31mred\x1b[0m', 'red'],
    ['cursor movement', 'a\x1b[2;5Hb\x1b[?25lc', 'abc'],
    ['a window title', '\x1b]0;owned\x07name', 'name'],
    ['a link', '\x1b]8;;https://example.org\x1b\\text\x1b]8;;\x1b\\', 'text'],
    ['a device string', 'a\x1bP1$r\x1b\\b', 'ab'],
    ['eight-bit introducers', 'a\x9b31mb\x9d0;t\x9cc', 'abc'],
    ['a short escape', 'a\x1bcb\x1b(Bc', 'abc'],
    ['a sequence that never ends', 'a\x1b]0;rest', 'a0;rest'],
    ['a lone escape at the end', 'a\x1b', 'a'],
    ['line breaks and tabs', 'a\r\nb\tc', 'a b c'],
    ['bells and backspaces', 'a\x07\x08\x7fb', 'ab'],
    ['text turned around', 'a\u202egpj.exe', 'agpj.exe'],
    ['half a surrogate pair', 'a\ud800b', 'a\ufffdb'],
    ['joined emoji, which stay', '👩\u200d💻', '👩\u200d💻'],
    ['other scripts, which stay', '解码 désiré', '解码 désiré'],
  ])('%s', (_, given, shown) => {
    expect(plainText(given)).toBe(shown);
  });

  test('nothing a terminal would obey is left, whatever comes in', () => {
    const hostile = fc.string({
      unit: fc.constantFrom('\x1b', '[', ']', '\x9b', '\x07', '\\', '0', ';', 'm', 'P', '\n'),
    });
    fc.assert(
      fc.property(fc.oneof(hostile, fc.string({ unit: 'binary' })), text => {
        expect(plainText(text)).not.toMatch(/[\p{Cc}\p{Cs}\u202a-\u202e\u2066-\u2069]/u);
      }),
    );
  });
});
