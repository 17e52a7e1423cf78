/** Writes Parquet: one row group, uncompressed, plainly encoded, flat required columns, pages of about 1 MB. */
const MAGIC = Buffer.from('PAR1');
const PAGE_BYTES = 1 << 20;

/** Thrift's compact protocol, as far as Parquet's headers need it. */
const [I32, I64, BINARY, LIST, STRUCT] = [5, 6, 8, 9, 12];
const varint = value => {
  const bytes = [];
  let left = BigInt(value);
  for (; left >= 0x80n; left >>= 7n) bytes.push(Number(left & 0x7fn) | 0x80);
  return Buffer.from([...bytes, Number(left)]);
};
const text = value => Buffer.concat([varint(Buffer.byteLength(value)), Buffer.from(value)]);
const ENCODE = {
  [I32]: value => varint(2 * value),
  [I64]: value => varint(2n * BigInt(value)),
  [BINARY]: text,
  [STRUCT]: fields => struct(fields),
  [LIST]: ({ of, items }) =>
    Buffer.concat([
      items.length < 15
        ? Buffer.from([(items.length << 4) | of])
        : Buffer.concat([Buffer.from([0xf0 | of]), varint(items.length)]),
      ...items.map(ENCODE[of]),
    ]),
};

/** Fields as [id, type, value], in the order of their ids. */
function struct(fields) {
  let last = 0;
  const parts = fields.map(([id, type, value]) => {
    const head = Buffer.from([((id - last) << 4) | type]);
    last = id;
    return Buffer.concat([head, ENCODE[type](value)]);
  });
  return Buffer.concat([...parts, Buffer.from([0])]);
}

const TYPES = { int64: 2, double: 5, bytes: 6, text: 6 };
const UTF8 = 0;

function plain(type, value) {
  if (type === 'int64' || type === 'double') {
    const bytes = Buffer.alloc(8);
    if (type === 'int64') bytes.writeBigInt64LE(BigInt(value));
    else bytes.writeDoubleLE(value);
    return bytes;
  }
  const bytes = Buffer.from(value);
  const length = Buffer.alloc(4);
  length.writeUInt32LE(bytes.length);
  return Buffer.concat([length, bytes]);
}

/** `columns`: name → { type, value: row => value }. */
export function parquetFile(columns, rows, write) {
  let offset = 0;
  const put = bytes => {
    write(bytes);
    offset += bytes.length;
  };
  put(MAGIC);
  const chunks = Object.entries(columns).map(([name, { type, value }]) => {
    const start = offset;
    let page = [];
    let size = 0;
    const endPage = () => {
      if (page.length === 0) return;
      const header = [
        [1, I32, 0],
        [2, I32, size],
        [3, I32, size],
        [
          5,
          STRUCT,
          [
            [1, I32, page.length],
            [2, I32, 0],
            [3, I32, 3],
            [4, I32, 3],
          ],
        ],
      ];
      put(struct(header));
      put(Buffer.concat(page));
      page = [];
      size = 0;
    };
    for (let row = 0; row < rows; row++) {
      const bytes = plain(type, value(row));
      page.push(bytes);
      size += bytes.length;
      if (size >= PAGE_BYTES) endPage();
    }
    endPage();
    return { name, type, start, bytes: offset - start };
  });
  const metaOf = ({ name, type, start, bytes }) => [
    [1, I32, TYPES[type]],
    [2, LIST, { of: I32, items: [0] }],
    [3, LIST, { of: BINARY, items: [name] }],
    [4, I32, 0],
    [5, I64, rows],
    [6, I64, bytes],
    [7, I64, bytes],
    [9, I64, start],
  ];
  const footer = struct([
    [1, I32, 1],
    [
      2,
      LIST,
      {
        of: STRUCT,
        items: [
          [
            [4, BINARY, 'schema'],
            [5, I32, chunks.length],
          ],
          ...chunks.map(({ name, type }) => [
            [1, I32, TYPES[type]],
            [3, I32, 0],
            [4, BINARY, name],
            ...(type === 'text' ? [[6, I32, UTF8]] : []),
          ]),
        ],
      },
    ],
    [3, I64, rows],
    [
      4,
      LIST,
      {
        of: STRUCT,
        items: [
          [
            [
              1,
              LIST,
              {
                of: STRUCT,
                items: chunks.map(chunk => [
                  [2, I64, chunk.start],
                  [3, STRUCT, metaOf(chunk)],
                ]),
              },
            ],
            [2, I64, chunks.reduce((sum, { bytes }) => sum + bytes, 0)],
            [3, I64, rows],
          ],
        ],
      },
    ],
  ]);
  put(footer);
  const length = Buffer.alloc(4);
  length.writeUInt32LE(footer.length);
  put(length);
  put(MAGIC);
}
