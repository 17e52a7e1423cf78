import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { renderText } from './text.ts';
import type { Block, GraphBlock, TableBlock } from './tree.ts';
import { textWidth } from './width.ts';

const table: TableBlock = {
  type: 'table',
  columns: [
    { title: 'operator', align: 'left' },
    { title: 'rate', align: 'right' },
    { title: 'CPU', align: 'right' },
    { title: 'bytes out', align: 'right', optional: true },
  ],
  rows: [
    ['解码\x1b[31m图像', '62.5/s', '1.9 ± 0.1 s', '3.00 MB'],
    ['an operator with a name that never seems to end', '1.24 M/s', '812 µs', '120 kB'],
  ],
};

const node = (id: string, inputs: string[], share: number | undefined, emphasis = false) => ({
  id,
  label: id,
  inputs,
  share,
  figure: '62.5/s',
  emphasis,
});

const images: GraphBlock = {
  type: 'graph',
  nodes: [
    node('files', [], 0.003),
    node('read', ['files'], 0.092),
    node('decode', ['read'], 0.71, true),
    node('resize', ['decode'], 0.151),
    node('batch', ['resize'], undefined),
  ],
  groups: [
    { nodes: ['files'], label: '1 lane' },
    { nodes: ['read', 'decode', 'resize'], label: '2 lanes' },
    { nodes: ['batch'], label: 'consumer' },
  ],
  edges: [{ from: 'files', to: 'read', note: '3.1 of 8 queued' }],
};

const diamond: GraphBlock = {
  type: 'graph',
  nodes: [
    node('a', [], 0.1),
    node('b', ['a'], 0.2),
    node('c', ['a'], 0.2),
    node('d', ['a'], 0.2),
    node('z', ['b', 'd', 'c'], 0.1),
    node('labels', [], 0.1),
    node('join', ['z', 'labels'], 0.1),
  ].map(({ figure: _, ...bare }) => bare),
  groups: [{ nodes: ['z'], label: '2 lanes' }],
  edges: [],
};

describe('tables', () => {
  test('align figures to the right and make names harmless', () => {
    expect(renderText([table], { width: 100 })).toMatchInlineSnapshot(`
      "  operator                                             rate          CPU  bytes out
        解码图像                                           62.5/s  1.9 ± 0.1 s    3.00 MB
        an operator with a name that never seems to end  1.24 M/s       812 µs     120 kB
      "
    `);
  });

  test('cut names where the line is too narrow', () => {
    expect(renderText([table], { width: 56 })).toMatchInlineSnapshot(`
      "  operator                  rate          CPU  bytes out
        解码图像                62.5/s  1.9 ± 0.1 s    3.00 MB
        an operator with a …  1.24 M/s       812 µs     120 kB
      "
    `);
  });

  test('leave optional columns out before names become useless, and say so', () => {
    expect(renderText([table], { width: 42 })).toMatchInlineSnapshot(`
      "  operator               rate          CPU
        解码图像             62.5/s  1.9 ± 0.1 s
        an operator with…  1.24 M/s       812 µs
        not shown here: bytes out
      "
    `);
  });
});

describe('graphs', () => {
  test('a chain, its stages bracketed, the one to look at marked', () => {
    expect(renderText([images], { width: 80 })).toMatchInlineSnapshot(`
      "  ● files  ▏                                          0.3 %  62.5/s ╶ 1 lane
        │ 3.1 of 8 queued
        ● read   ███▋                                       9.2 %  62.5/s ╮ 2 lanes
        ◆ decode ████████████████████████████▍             71.0 %  62.5/s │
        ● resize ██████                                    15.1 %  62.5/s ╯
        │
        ● batch                                                 –  62.5/s ╶ consumer
      "
    `);
  });

  test('in ASCII', () => {
    expect(renderText([images], { width: 60, charset: 'ascii' })).toMatchInlineSnapshot(`
      "  o files  #                        0.3 %  62.5/s - 1 lane
        | 3.1 of 8 queued
        o read   ##                       9.2 %  62.5/s \\ 2 lanes
        @ decode ################        71.0 %  62.5/s |
        o resize ###                     15.1 %  62.5/s /
        |
        o batch                               -  62.5/s - consumer
      "
    `);
  });

  test('branches and joins', () => {
    expect(renderText([diamond], { width: 60 })).toMatchInlineSnapshot(`
      "  ●     a      ██▊                          10.0 %
        ├─╮
        ├─┼─╮
        ● │ │ b      █████▍                       20.0 %
        │ │ │
        │ ● │ c      █████▍                       20.0 %
        │ │ │
        │ │ ● d      █████▍                       20.0 %
        ├─╯ │
        ├───╯
        ●     z      ██▊                          10.0 % ╶ 2 lanes
        │
        │ ●   labels ██▊                          10.0 %
        ├─╯
        ●     join   ██▊                          10.0 %
      "
    `);
  });

  test('a claimed cycle and unknown inputs are drawn, not followed', () => {
    const cycle: GraphBlock = {
      type: 'graph',
      nodes: [node('a', ['b', 'nobody'], 0.5), node('b', ['a'], 0.5)],
      groups: [],
      edges: [],
    };
    const text = renderText([cycle], { width: 80 });
    expect(text).toMatch(/● b .*\n.*\n.*● a /);
  });
});

test('a report reads from verdict to details', () => {
  const report: Block[] = [
    {
      type: 'verdict',
      text: 'decode limits this pipeline: 1.9 of 2 cores, 212 images/s of a possible 640',
      fix: 'venturi tune images.ts',
    },
    { type: 'heading', text: 'Totals', note: 'of the whole run' },
    {
      type: 'facts',
      items: [
        { label: 'engine overhead', value: '0.3 s', note: '4.2 % of the CPU' },
        { label: 'peak memory', value: '120 MB' },
      ],
    },
    {
      type: 'list',
      items: [{ text: 'perf is missing', mark: 'bad', remedy: 'install linux-tools' }, { text: 'plain' }],
    },
    { type: 'paragraph', text: 'The end.' },
  ];
  expect(renderText(report, { width: 60 })).toMatchInlineSnapshot(`
    "decode limits this pipeline: 1.9 of 2 cores, 212 images/s of
    a possible 640
    → venturi tune images.ts

    Totals  of the whole run
      engine overhead   0.3 s  4.2 % of the CPU
      peak memory      120 MB

      ✗ perf is missing
        → install linux-tools
      • plain

    The end.
    "
  `);
});

test('colour is added after the layout and changes nothing else', () => {
  const report = [table, images];
  const coloured = renderText(report, { width: 70, colour: (_, text) => `<${text}>` });
  expect(coloured).toContain('<');
  const bare = coloured
    .replaceAll(/[<>]/g, '')
    .split('\n')
    .map(line => line.trimEnd());
  expect(bare.join('\n')).toBe(renderText(report, { width: 70 }));
});

test('no line is wider than asked, whatever the names and the graph', () => {
  const name = fc.string({ unit: 'grapheme', maxLength: 40 });
  const graph = fc
    .array(
      fc.record({
        label: name,
        inputs: fc.array(fc.nat(8), { maxLength: 2 }),
        share: fc.double({ min: 0, max: 1, noNaN: true }),
      }),
      { maxLength: 7 },
    )
    .map(nodes => ({
      type: 'graph' as const,
      nodes: nodes.map((one, i) => ({
        ...one,
        id: String(i),
        figure: '62.5/s',
        inputs: one.inputs.filter(input => input < i).map(String),
      })),
      groups: [],
      edges: nodes.map((one, i) => ({ from: String(one.inputs[0]), to: String(i), note: one.label })),
    }));
  const block = fc.oneof(
    graph,
    fc.record({ type: fc.constant('paragraph' as const), text: name }),
    fc.record({ type: fc.constant('verdict' as const), text: name, fix: name }),
    fc.record({ type: fc.constant('heading' as const), text: name, note: name }),
    fc.record({
      type: fc.constant('facts' as const),
      items: fc.array(fc.record({ label: name, value: name, note: name })),
    }),
    fc.array(fc.tuple(name, name, name, name)).map(rows => ({ ...table, rows })),
  );
  fc.assert(
    fc.property(
      fc.array(block, { maxLength: 3 }),
      fc.integer({ min: 40, max: 120 }),
      fc.constantFrom('unicode' as const, 'ascii' as const),
      (report, width, charset) => {
        for (const line of renderText(report, { width, charset }).split('\n'))
          expect(textWidth(line)).toBeLessThanOrEqual(width);
      },
    ),
  );
});
