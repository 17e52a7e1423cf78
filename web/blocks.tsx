import type { ComponentChildren, JSX } from 'preact';
import { precisePercent } from '../src/report/format.ts';
import type {
  Block,
  Cell,
  CodeBlock,
  Column,
  FactsBlock,
  GraphBlock,
  ListBlock,
  TableBlock,
} from '../src/report/tree.ts';
import { Copy } from './copy.tsx';
import { isSelected, selectOperators } from './state.ts';

/** Rows of a table that are drawn; the rest is said. */
export const MOST_ROWS = 200;

/** A report tree. Every text in it is shown as text. */
export function Blocks({ blocks }: { readonly blocks: readonly Block[] }): JSX.Element {
  return (
    <>
      {blocks.map((block, at) => (
        <BlockView key={at} block={block} />
      ))}
    </>
  );
}

function BlockView({ block }: { readonly block: Block }): JSX.Element | null {
  switch (block.type) {
    case 'verdict':
      return (
        <div class={`verdict-line ${block.tone ?? ''}`}>
          <p>{block.text}</p>
          {block.fix === undefined ? null : <Fix text={block.fix} />}
        </div>
      );
    case 'heading':
      return (
        <h3>
          {block.text}
          {block.note === undefined ? null : <small>{block.note}</small>}
        </h3>
      );
    case 'paragraph':
    case 'summary':
      return <p class={block.tone}>{block.text}</p>;
    case 'list':
      return <List block={block} />;
    case 'facts':
      return <Facts block={block} />;
    case 'table':
      return <Table block={block} />;
    case 'graph':
      return <GraphTable block={block} />;
    case 'code':
      return <Code block={block} />;
  }
}

export const Fix = ({ text }: { readonly text: string }): JSX.Element => (
  <p class="fix">
    <span aria-hidden="true">→</span>
    <code>{text}</code>
    <Copy text={text} />
  </p>
);

const MARKS = { point: '•', good: '✓', warn: '!', bad: '✗' } as const;

const List = ({ block }: { readonly block: ListBlock }): JSX.Element => (
  <ul class="marked">
    {block.items.map(({ text, mark = 'point', remedy }, at) => (
      <li key={at} class={mark}>
        <span class="mark" aria-hidden="true">
          {MARKS[mark]}
        </span>
        <div>
          {text}
          {remedy === undefined ? null : <Fix text={remedy} />}
        </div>
      </li>
    ))}
  </ul>
);

const Facts = ({ block }: { readonly block: FactsBlock }): JSX.Element => (
  <dl class="facts">
    {block.items.map(({ label, value, note }, at) => (
      <div key={at}>
        <dt>{label}</dt>
        <dd>
          {value}
          {note === undefined || note === '' ? null : <small>{note}</small>}
        </dd>
      </div>
    ))}
  </dl>
);

/** A small chart of letters, whose columns stand for moments. */
const BARS = /^[\u2581-\u2588 ]*[\u2581-\u2588][\u2581-\u2588 ]*$/;

const textOf = (cell: Cell): string => (typeof cell === 'string' ? cell : cell.text);
const toneOf = (cell: Cell): string => (typeof cell === 'string' ? '' : (cell.tone ?? ''));

/** Rows of a table select their operators, where those are given: one list for each row. */
export function Table({
  block,
  operators,
}: {
  readonly block: TableBlock;
  readonly operators?: readonly (readonly string[])[];
}): JSX.Element {
  const rows = block.rows.slice(0, MOST_ROWS);
  return (
    <Scrolled label={block.columns.map(({ title }) => title).join(', ')}>
      <table>
        <thead>
          <tr>
            {block.columns.map(({ title, align }) => (
              <th key={title} scope="col" class={align}>
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, at) => (
            <Row key={at} row={row} columns={block.columns} operators={operators?.[at]} />
          ))}
        </tbody>
      </table>
      <LeftOut shown={rows.length} of={block.rows.length} />
    </Scrolled>
  );
}

function Row({
  row,
  columns,
  operators = [],
}: {
  readonly row: readonly Cell[];
  readonly columns: readonly Column[];
  readonly operators?: readonly string[] | undefined;
}): JSX.Element {
  const isChosen = operators.length > 0 && isSelected(operators);
  return (
    <tr class={isChosen ? 'chosen' : ''}>
      {row.map((cell, at) => (
        <td
          key={columns[at]?.title}
          class={`${columns[at]?.align ?? 'left'} ${toneOf(cell)} ${BARS.test(textOf(cell)) ? 'bars' : ''}`}
        >
          {at === 0 && operators.length > 0 ? (
            <button type="button" class="link" aria-pressed={isChosen} onClick={() => selectOperators(operators)}>
              {textOf(cell)}
            </button>
          ) : (
            textOf(cell)
          )}
        </td>
      ))}
    </tr>
  );
}

export const LeftOut = ({ shown, of }: { readonly shown: number; readonly of: number }): JSX.Element | null =>
  shown === of ? null : (
    <p class="muted">
      {shown} of {of} rows are shown; <code>--json</code> has all.
    </p>
  );

/** What is wide scrolls by itself, also by keys. */
export const Scrolled = ({
  label,
  children,
}: {
  readonly label: string;
  readonly children: ComponentChildren;
}): JSX.Element => (
  <section
    class="scrolled"
    aria-label={label}
    ref={element => {
      if (element !== null) element.tabIndex = 0;
    }}
  >
    {children}
  </section>
);

/** A graph as a table, where there is no drawing of it. */
const GraphTable = ({ block }: { readonly block: GraphBlock }): JSX.Element => (
  <Table
    block={{
      type: 'table',
      columns: [
        { title: 'operator', align: 'left' },
        { title: 'share', align: 'right' },
        { title: 'figure', align: 'right' },
      ],
      rows: block.nodes.map(({ label, share, figure, emphasis }) => [
        emphasis === true ? { text: `◆ ${label}`, tone: 'bad' } : label,
        precisePercent(share),
        figure ?? '',
      ]),
    }}
  />
);

const Code = ({ block }: { readonly block: CodeBlock }): JSX.Element => (
  <div class="code">
    <pre>
      {block.lines.map(({ text, tone }, at) => (
        <span key={at} class={tone}>
          {`${text}\n`}
        </span>
      ))}
    </pre>
    <Copy text={block.lines.map(({ text }) => text).join('\n')} />
  </div>
);
