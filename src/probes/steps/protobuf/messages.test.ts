import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MessageCount, many, one } from './message.ts';
import { textMessage } from './text-message.ts';
import { wireMessage, wireMessages } from './wire-message.ts';

const INNER = { size: one(1, 'integer'), label: one(2, 'text') };
const OUTER = {
  name: one(1, 'text'),
  moment: one(2, 'bigint'),
  inner: many(3, INNER),
  ids: many(4, 'integer'),
  last: one(5, INNER),
};

const varint = (value: bigint): number[] =>
  value < 128n ? [Number(value)] : [Number(value & 127n) | 128, ...varint(value >> 7n)];
const field = (number: number, wire: number, bytes: number[]): number[] => [
  ...varint(BigInt(number * 8 + wire)),
  ...bytes,
];
const delimited = (bytes: number[]): number[] => [...varint(BigInt(bytes.length)), ...bytes];
const text = (value: string): number[] => delimited([...Buffer.from(value)]);

describe('binary', () => {
  const read = (bytes: number[]) => wireMessage(OUTER, Uint8Array.from(bytes), 'a message');

  it('reads the fields it knows and skips the others', () => {
    const bytes = [
      ...field(9, 0, varint(7n)),
      ...field(1, 2, text('a')),
      ...field(10, 1, [1, 2, 3, 4, 5, 6, 7, 8]),
      ...field(2, 0, varint(1794979199697926254n)),
      ...field(3, 2, delimited(field(1, 0, varint(5n)))),
      ...field(3, 2, delimited(field(2, 2, text('b')))),
    ];
    expect(read(bytes)).toEqual({
      name: 'a',
      moment: 1794979199697926254n,
      inner: [
        { size: 5, label: undefined },
        { size: undefined, label: 'b' },
      ],
      ids: [],
      last: undefined,
    });
  });

  it('reads repeated numbers one by one and packed', () => {
    expect(read([...field(4, 0, [1]), ...field(4, 2, delimited([2, 3])), ...field(4, 0, [4])]).ids).toEqual([
      1, 2, 3, 4,
    ]);
  });

  it('merges a message that comes twice, as protobuf does', () => {
    const twice = [...field(5, 2, delimited(field(1, 0, [1]))), ...field(5, 2, delimited(field(2, 2, text('x'))))];
    expect(read(twice).last).toEqual({ size: 1, label: 'x' });
  });

  it.each([
    ['a length beyond the end', [...field(1, 2, [100, 97])]],
    ['a message that ends within a number', [...field(3, 2, delimited([8, 128]))]],
    ['a text where a number should be', [...field(2, 2, text('1'))]],
    ['a group', [...field(7, 3, []), ...field(7, 4, [])]],
    ['a field numbered 0', [0, 0]],
  ])('refuses %s', (_, bytes) => {
    expect(() => read(bytes)).toThrow(expect.objectContaining({ code: 'VENTURI_BAD_RECORD' }));
  });

  it('refuses more messages than memory could hold', () => {
    const bytes = Uint8Array.from({ length: 20 }, (_, at) => (at % 2 === 0 ? 0x1a : 0));
    expect(wireMessage(OUTER, bytes, 'a message', new MessageCount(10)).inner).toHaveLength(10);
    expect(() => wireMessage(OUTER, bytes, 'a message', new MessageCount(9))).toThrow('more than 9 messages');
    expect(() => textMessage(OUTER, 'inner {} '.repeat(10), new MessageCount(9))).toThrow('more than 9 messages');
  });

  it('reads messages behind their lengths', () => {
    const bytes = Uint8Array.from([
      ...delimited(field(1, 2, text('a'))),
      ...delimited([]),
      ...delimited(field(1, 2, text('b'))),
    ]);
    expect([...wireMessages(OUTER, bytes, 'messages')].map(({ name }) => name)).toEqual(['a', undefined, 'b']);
  });
});

describe('text', () => {
  const read = (document: string) => textMessage(OUTER, document);

  it('reads the fields it knows and skips the others', () => {
    const document = `
      # a comment
      other { deeper: < list: [1, "}", {x: 2}] > [some.extension]: -1.5e3f }
      name: "a" moment: 1794979199697926254;
      inner { size: 5 }, inner < label: 'b' 'c' >
      ids: [1, 0x10, -3] ids: 4
    `;
    expect(read(document)).toEqual({
      name: 'a',
      moment: 1794979199697926254n,
      inner: [
        { size: 5, label: undefined },
        { size: undefined, label: 'bc' },
      ],
      ids: [1, 16, -3, 4],
      last: undefined,
    });
  });

  it('reads escapes, which are bytes of UTF-8', () => {
    expect(read(String.raw`name: "\303\244\n\x41\"\\ \u00e4"`).name).toBe('ä\nA"\\ ä');
  });

  it.each([
    ['name "a', 'line 1: the end of a text, " is expected, found the end'],
    ['name: 5', "line 1: a text is expected, found '5'"],
    ['\n\nmoment: later', "line 3: a whole number is expected, found 'later'"],
    ['inner { size: 1', 'line 1: a field or } is expected, found the end'],
    ['inner }', "line 1: { is expected, found '}'"],
    ['name: "\\q"', "line 1: an escape is expected, found 'q\"'"],
    ['other: }', "line 1: a value is expected, found '}'"],
    [`other ${'{a'.repeat(101)}`, 'line 1: at most 100 messages within each other is expected'],
    [`moment: ${'9'.repeat(30)}`, 'line 1: a whole number is expected'],
  ])('refuses %j', (document, message) => {
    expect(() => read(document)).toThrow(message);
  });

  it('takes a megabyte of blanks', () => {
    expect(read(`${' '.repeat(2 ** 20)}name: "a"`).name).toBe('a');
  });
});

it('reads the same from both encodings', () => {
  const message = fc.record({
    name: fc.string(),
    moment: fc.bigInt({ min: 1n, max: 2n ** 63n - 1n }),
    ids: fc.array(fc.nat(), { minLength: 1 }),
    sizes: fc.array(fc.nat()),
  });
  fc.assert(
    fc.property(message, ({ name, moment, ids, sizes }) => {
      const bytes = [
        ...field(1, 2, text(name)),
        ...field(2, 0, varint(moment)),
        ...sizes.flatMap(size => field(3, 2, delimited(field(1, 0, varint(BigInt(size)))))),
        ...field(4, 2, delimited(ids.flatMap(id => varint(BigInt(id))))),
      ];
      const octal = [...Buffer.from(name)].map(byte => `\\${byte.toString(8).padStart(3, '0')}`).join('');
      const inner = sizes.map(size => `inner { size: ${size} }`).join('\n');
      const document = `name: "${octal}" moment: ${moment} ${inner} ids: [${ids.join(', ')}]`;
      expect(textMessage(OUTER, document)).toEqual(wireMessage(OUTER, Uint8Array.from(bytes), 'a message'));
    }),
  );
});
