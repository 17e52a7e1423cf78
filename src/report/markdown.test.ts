import fc from 'fast-check';
import { expect, test } from 'vitest';
import { markdownText, renderMarkdown } from './markdown.ts';
import type { Block } from './tree.ts';

const report: Block[] = [
  { type: 'verdict', text: 'decode limits this pipeline: 1.9 of 2 cores', fix: 'venturi tune images.ts' },
  { type: 'paragraph', text: '# of lanes: 2', tone: 'warn' },
  { type: 'heading', text: 'Pipeline', note: 'utilisation' },
  {
    type: 'graph',
    nodes: [
      { id: 'a', label: 'files', inputs: [], share: 0.5, figure: '62.5/s' },
      { id: 'b', label: '```decode', inputs: ['a'], share: 1, figure: '62.5/s', emphasis: true },
    ],
    groups: [{ nodes: ['a', 'b'], label: '1 lane' }],
    edges: [],
  },
  { type: 'heading', text: `Stages of my_loader's <b>`, note: 'queued: for a core' },
  {
    type: 'table',
    columns: [
      { title: 'stage', align: 'left' },
      { title: 'lanes', align: 'right' },
    ],
    rows: [
      ['a|b', '1'],
      ['@somebody *x*', { text: '2', tone: 'strong' }],
    ],
  },
  { type: 'heading', text: 'Other findings' },
  { type: 'list', items: [{ text: 'perf is missing', mark: 'warn', remedy: 'install it' }, { text: '1. plain' }] },
];

test('a report reads from the verdict to folded tables', () => {
  expect(renderMarkdown(report)).toMatchInlineSnapshot(`
    "**decode limits this pipeline: 1.9 of 2 cores**

    → venturi tune images.ts

    \\# of lanes: 2

    ### Pipeline

    utilisation

    \`\`\`\`text
      ● files     ████████████████████                      50.0 %  62.5/s ╮ 1 lane
      ◆ \`\`\`decode ████████████████████████████████████████ 100.0 %  62.5/s ╯
    \`\`\`\`

    <details open>
    <summary><b>Stages of my_loader&#39;s &lt;b&gt;</b> queued: for a core</summary>

    | stage | lanes |
    | --- | ---: |
    | a\\|b | 1 |
    | @⁠somebody \\*x\\* | **2** |

    </details>

    ### Other findings

    - ! perf is missing<br>→ install it
    - 1\\. plain

    "
  `);
});

test('what is not shown is said', () => {
  const rows = Array.from({ length: 120 }, (_, at) => [String(at)]);
  const text = renderMarkdown([{ type: 'table', columns: [{ title: 'n', align: 'right' }], rows }]);
  expect(text).toContain('20 more rows are not shown here.');
  expect(text).not.toContain('| 100 |');
});

test('a name stays one line, one cell and plain text', () => {
  const hostile = fc.string({
    unit: fc.constantFrom('<', '>', '&', '|', '`', '*', '_', '[', ']', '\\', '\n', '@', '#', '1', 'a', ' ', '$', '~'),
  });
  fc.assert(
    fc.property(hostile, name => {
      const text = markdownText(name);
      expect(text).not.toMatch(/[\n<>]/);
      // Every character with a meaning stands behind a backslash that is none itself.
      expect(text.replace(/\\[\\`*_{}[\]|~$^]/g, '')).not.toMatch(/[\\`*_{}[\]|~$^]/);
      expect(text).not.toMatch(/@\w|#[1-9]/);
    }),
  );
});
