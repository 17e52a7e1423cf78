import type { JSX } from 'preact';
import type { LoaderSummary } from '../../src/analysis/batches/summary.ts';
import { count, precisePercent, preciseTime, rate, time } from '../../src/report/format.ts';
import { Scrolled } from '../blocks.tsx';
import { selectRange } from '../state.ts';
import { type LoaderRow, loaderRows, timeOf } from './loader-rows.ts';

const WIDTH = 260;
const HIGH = 26;
const SHARE = 110;

/** Loaders of a program, and ranks of a training, side by side; nothing where there is one alone. */
export function LoadersBeside({ loaders }: { readonly loaders: readonly LoaderSummary[] }): JSX.Element | null {
  const rows = loaderRows(loaders);
  if (rows.length < 2) return null;
  const range = timeOf(loaders);
  return (
    <>
      <h3>
        Side by side
        <small>
          waiting over time from {time(range.from)} to {time(range.to)}; a column is full where the program did nothing
          else
        </small>
      </h3>
      <Scrolled label="Loaders and ranks side by side">
        <table class="beside">
          <thead>
            <tr>
              <th scope="col">loader</th>
              <th scope="col">waiting</th>
              <th scope="col">waiting over time</th>
              {['batches', 'throughput', 'preparation', 'consumption'].map(title => (
                <th key={title} scope="col" class="right">
                  {title}
                </th>
              ))}
              <th scope="col">limited by</th>
            </tr>
          </thead>
          <tbody>
            {rows.map(row => (
              <Row key={row.key} row={row} range={range} />
            ))}
          </tbody>
        </table>
      </Scrolled>
    </>
  );
}

function Row({
  row,
  range: { from, to },
}: {
  readonly row: LoaderRow;
  readonly range: { readonly from: number; readonly to: number };
}): JSX.Element {
  const { label, isRank, windows, waitShare, isHoldingUp } = row;
  const x = (ns: number): number => ((ns - from) / Math.max(1, to - from)) * WIDTH;
  const [first] = windows;
  const last = windows.at(-1);
  return (
    <tr>
      <td class={isRank ? 'inner' : ''}>
        {first === undefined || last === undefined ? (
          label
        ) : (
          <button
            type="button"
            class="link"
            title="Select its time"
            onClick={() => selectRange({ from: first.start / 1e9, to: last.end / 1e9 })}
          >
            {label}
          </button>
        )}
        {isHoldingUp ? <small class="bad"> ◆ the others wait for it</small> : null}
      </td>
      <td>
        <svg width={SHARE} height={10} aria-hidden="true">
          <rect class="bar-room" width={SHARE} height={10} rx={2} />
          <rect class="waiting" width={Math.max(0, Math.min(1, waitShare)) * SHARE} height={10} rx={2} />
        </svg>{' '}
        {precisePercent(waitShare)}
      </td>
      <td>
        <svg width={WIDTH} height={HIGH} role="img">
          <title>{windowWords(row)}</title>
          <rect class="bar-room" width={WIDTH} height={HIGH} rx={2} />
          {windows.map(window => (
            <rect
              key={window.start}
              class="waiting"
              x={x(window.start)}
              y={HIGH - window.waitShare * HIGH}
              width={Math.max(1, x(window.end) - x(window.start) - 0.5)}
              height={Math.max(0, window.waitShare) * HIGH}
            />
          ))}
        </svg>
      </td>
      <td class="right">{count(row.batches)}</td>
      <td class="right">{rate(row.elementsPerSecond)}</td>
      <td class="right">{preciseTime(row.preparation)}</td>
      <td class="right">{preciseTime(row.consumption)}</td>
      <td>{row.bound}</td>
    </tr>
  );
}

const windowWords = ({ label, windows }: LoaderRow): string =>
  windows.length === 0
    ? `${label}: too few batches for a course of waiting`
    : `${label} waits ${windows.map(({ start, waitShare }) => `${precisePercent(waitShare)} from ${time(start)}`).join(', ')}`;
