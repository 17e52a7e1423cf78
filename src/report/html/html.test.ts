import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Block, GraphBlock } from '../tree.ts';
import { renderHtml } from './html.ts';
import { htmlPage } from './page.ts';

const VOID = new Set(['meta', 'br', 'rect']);

/** Elements and texts of HTML as this renderer writes it; throws where a tag is not closed, or an attribute is not quoted. */
function parsed(html: string): { readonly elements: readonly string[]; readonly text: string } {
  const open: string[] = [];
  const elements: string[] = [];
  let text = '';
  const token = /<!doctype html>|<(\/?)([a-z][a-z0-9]*)((?: [a-zA-Z-]+(?:="[^"<>]*")?)*)\/?>|([^<>]+)|(.)/gs;
  for (const [, close, name, attributes, plain, stray] of html.matchAll(token)) {
    if (stray !== undefined) throw new Error(`a stray ${stray}`);
    text += plain ?? '';
    if (name === undefined) continue;
    if (close === '/') expect(open.pop()).toBe(name);
    else {
      elements.push(name);
      expect(attributes).not.toMatch(/ (?:on\w+|style|href|src)=/i);
      if (!VOID.has(name)) open.push(name);
    }
  }
  expect(open).toEqual([]);
  const ENTITIES: Record<string, string> = { '&lt;': '<', '&gt;': '>', '&quot;': '"', '&#39;': "'", '&amp;': '&' };
  return { elements, text: text.replace(/&(?:lt|gt|quot|#39|amp);/g, entity => ENTITIES[entity] ?? '') };
}

const graph = (label: string): GraphBlock => ({
  type: 'graph',
  nodes: [
    { id: 'a', label: 'files', inputs: [], share: 0.003, figure: '62.5/s' },
    { id: 'b', label, inputs: ['a'], share: 0.71, figure: '62.5/s', emphasis: true },
    { id: 'c', label: 'join', inputs: ['a', 'b'], share: undefined, figure: '' },
  ],
  groups: [{ nodes: ['a', 'b'], label: '2 lanes' }],
  edges: [{ from: 'a', to: 'b', note: '3.1 of 8 queued' }],
});

const reportOf = (name: string): Block[] => [
  { type: 'verdict', text: `${name} limits this pipeline`, fix: `venturi tune ${name}` },
  { type: 'paragraph', text: 'It was short.', tone: 'warn' },
  { type: 'heading', text: 'Pipeline', note: 'utilisation' },
  graph(name),
  { type: 'heading', text: 'Stages' },
  {
    type: 'table',
    columns: [
      { title: 'stage', align: 'left' },
      { title: 'lanes', align: 'right' },
    ],
    rows: [[name, { text: '2', tone: 'bad' }]],
  },
  { type: 'list', items: [{ text: name, mark: 'warn', remedy: name }, { text: 'plain' }] },
  { type: 'facts', items: [{ label: 'memory', value: name, note: 'peak' }] },
  { type: 'code', lines: [{ text: `  const x = ${name}`, tone: 'muted' }, { text: 'y' }] },
];

test('a report as sections that fold, tables with headers, and a graph as a table', () => {
  const html = renderHtml(reportOf('decode'));
  expect(html).toMatchInlineSnapshot(`
    "<article class="report">
    <div class="verdict">
    <p class="strong">decode limits this pipeline</p>
    <p class="fix"><span aria-hidden="true">→</span> venturi tune decode</p>
    </div>
    <p class="warn">It was short.</p>
    <details open>
    <summary><h2>Pipeline</h2> <span class="muted">utilisation</span></summary>
    <figure class="graph">
    <div class="scroll" tabindex="0" role="group" aria-label="graph">
    <table>
    <thead><tr><th scope="col">operator</th><th scope="col" colspan="2">share</th><th scope="col" class="figure">figure</th><th scope="col">runs in</th><th scope="col">reads from</th></tr></thead>
    <tbody>
    <tr><th scope="row"><span aria-hidden="true">●</span> files</th><td class="share"><svg viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true"><rect class="room" width="100" height="8"/><rect width="0.3" height="8"/></svg></td><td class="figure">0.3 %</td><td class="figure">62.5/s</td><td class="group" rowspan="2">2 lanes</td><td></td></tr>
    <tr class="emphasis"><th scope="row"><span aria-hidden="true">◆</span> <strong>decode</strong></th><td class="share"><svg viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true"><rect class="room" width="100" height="8"/><rect width="71" height="8"/></svg></td><td class="figure">71.0 %</td><td class="figure">62.5/s</td><td>files (3.1 of 8 queued)</td></tr>
    </tbody>
    <tbody>
    <tr><th scope="row"><span aria-hidden="true">●</span> join</th><td class="share"><svg viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true"><rect class="room" width="100" height="8"/><rect width="0" height="8"/></svg></td><td class="figure">–</td><td class="figure"></td><td class="group" rowspan="1"></td><td>files, decode</td></tr>
    </tbody>
    </table>
    </div>
    </figure>
    </details>
    <details open>
    <summary><h2>Stages</h2></summary>
    <div class="scroll" tabindex="0" role="group" aria-label="table">
    <table>
    <thead><tr><th scope="col">stage</th><th scope="col" class="figure">lanes</th></tr></thead>
    <tbody>
    <tr><th scope="row">decode</th><td class="figure"><span class="bad">2</span></td></tr>
    </tbody>
    </table>
    </div>
    <ul>
    <li><span class="warn">warning:</span> decode<p class="fix"><span aria-hidden="true">→</span> decode</p></li>
    <li>plain</li>
    </ul>
    <dl>
    <div><dt>memory</dt><dd>decode <span class="muted">peak</span></dd></div>
    </dl>
    <pre tabindex="0"><code><span class="muted">  const x = decode</span>
    y</code></pre>
    </details>
    </article>
    "
  `);
  parsed(html);
});

test('names from elsewhere are shown and nothing else', () => {
  const hostile = fc.oneof(
    fc.string({ unit: 'grapheme' }),
    fc.constantFrom(
      '<script>alert(1)</script>',
      '"><img src=x onerror=alert(1)>',
      "' onclick='x",
      '</style><b>',
      '&lt;b&gt;',
      '\u202eevil',
    ),
    fc.string({ unit: fc.constantFrom('<', '>', '"', "'", '&', '=', '/', 'a', ' ', '\n', '-', '!') }),
  );
  const plain = parsed(renderHtml(reportOf('x'))).elements;
  fc.assert(
    fc.property(hostile, name => {
      expect(parsed(htmlPage({ title: name, reports: [], notes: [name] })).elements).not.toContain('script');
      expect(parsed(renderHtml(reportOf(name))).elements).toEqual(plain);
    }),
  );
  expect(parsed(renderHtml(reportOf('<b>"quoted" & more</b>'))).text).toContain('<b>"quoted" & more</b> limits');
});

test('a chain has no column for what an operator reads from, other graphs have', () => {
  const chain: GraphBlock = { ...graph('b'), nodes: graph('b').nodes.slice(0, 2), edges: [] };
  expect(renderHtml([chain])).not.toContain('reads from');
  expect(renderHtml([graph('b')])).toContain('<td>files (3.1 of 8 queued)</td>');
});

test('what is not shown is said, and names of any length are cut', () => {
  const rows = Array.from({ length: 12 }, () => ['x'.repeat(10_000)]);
  const html = renderHtml([{ type: 'table', columns: [{ title: 'n', align: 'left' }], rows }], { mostRows: 10 });
  expect(html).toContain('2 more rows are not shown here.');
  expect(html.length).toBeLessThan(25_000);
});

test('a page stands alone, and lets nothing in', () => {
  const html = htmlPage({ title: 'p', reports: [reportOf('decode')], notes: ['Written by venturi.'] });
  const { elements } = parsed(html.replace(/<style>[\s\S]*<\/style>/, ''));
  expect(elements).not.toContain('script');
  expect(html).toContain("default-src 'none'");
  expect(html).toMatch(/prefers-color-scheme: dark/);
});
