import type { JSX } from 'preact';
import { LeftOut, MOST_ROWS, Scrolled } from '../blocks.tsx';
import { isSelected, selectOperators } from '../state.ts';
import { type ComparedRow, type ComparedRows, type ComparedValue, changeOf } from './compared-rows.ts';

const WIDTH = 220;
const BAR = 11;

/** A row for each quantity and a bar for each run in it; bars of a row have one scale. */
export function ComparedBars({
  group: { title, better, words, rows },
  names,
}: {
  readonly group: ComparedRows;
  readonly names: readonly string[];
}): JSX.Element | null {
  if (rows.length === 0) return null;
  return (
    <>
      <h3>{title}</h3>
      <Scrolled label={`${title}: ${names.join(', ')}`}>
        <table class="compared">
          <thead>
            <tr>
              <th scope="col">{rows.length === 1 ? '' : 'what'}</th>
              <th scope="col">
                <span class="unseen">drawn</span>
              </th>
              {names.map((name, at) => (
                <th key={at} scope="col" class="right">
                  {name}
                </th>
              ))}
              <th scope="col" class="right">
                change
              </th>
            </tr>
          </thead>
          <tbody>
            {rows.slice(0, MOST_ROWS).map((row, at) => (
              <Row key={at} row={row} better={better} words={words} />
            ))}
          </tbody>
        </table>
        <LeftOut shown={Math.min(rows.length, MOST_ROWS)} of={rows.length} />
      </Scrolled>
    </>
  );
}

function Row({
  row,
  better,
  words,
}: {
  readonly row: ComparedRow;
  readonly better: ComparedRows['better'];
  readonly words: (value: number) => string;
}): JSX.Element {
  const { label, operators, values } = row;
  const isChosen = isSelected(operators);
  const change = changeOf(row, better);
  return (
    <tr class={isChosen ? 'chosen' : ''}>
      <td>
        {operators.length === 0 ? (
          label
        ) : (
          <button type="button" class="link" aria-pressed={isChosen} onClick={() => selectOperators(operators)}>
            {label}
          </button>
        )}
      </td>
      <td>
        <Bars values={values} />
      </td>
      {values.map((value, at) => (
        <td key={at} class="right">
          {value === undefined ? '' : words(value.estimate)}
        </td>
      ))}
      <td class={`right ${change.tone}`}>{change.text}</td>
    </tr>
  );
}

/** The figures stand beside it. */
function Bars({ values }: { readonly values: readonly (ComparedValue | undefined)[] }): JSX.Element {
  const highest = values.map(value =>
    value === undefined ? 0 : Number.isFinite(value.high) ? value.high : value.estimate,
  );
  const most = Math.max(Number.MIN_VALUE, ...highest);
  const x = (value: number): number => Math.max(0, Math.min(1, value / most)) * WIDTH;
  return (
    <svg class="compared-bars" width={WIDTH + 2} height={values.length * (BAR + 2)} aria-hidden="true">
      {values.map((value, at) =>
        value === undefined ? null : (
          <g key={at} transform={`translate(0 ${at * (BAR + 2)})`}>
            <rect
              class={at === values.length - 1 ? 'last-run' : 'earlier-run'}
              width={Math.max(1, x(value.estimate))}
              height={BAR}
              rx={2}
            />
            {value.high > value.low ? (
              <line class="whisker" x1={x(value.low)} x2={x(value.high)} y1={BAR / 2} y2={BAR / 2} />
            ) : null}
          </g>
        ),
      )}
    </svg>
  );
}
