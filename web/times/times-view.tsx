import type { JSX } from 'preact';
import { count, preciseTime, time } from '../../src/report/format.ts';
import type { TimedGroup, TimedRow, TimesData } from '../../src/report/page/times.ts';
import { LeftOut, MOST_ROWS, Scrolled } from '../blocks.tsx';
import { isSelected, selectOperators } from '../state.ts';
import { axisOf, barsOf, histogramWords, type TimeAxis } from './histogram-bars.ts';

const WIDTH = 260;
const HIGH = 30;

/** How long operators took: a histogram and figures for each, on one axis of times. */
export const TimesView = ({ data }: { readonly data: TimesData }): JSX.Element => (
  <>
    {data.groups.map(group => (
      <Group key={group.name} group={group} />
    ))}
  </>
);

function Group({ group: { name, rows } }: { readonly group: TimedGroup }): JSX.Element {
  const axis = axisOf(rows);
  return (
    <>
      <h3>
        {name}
        <small>
          times from {time(axis.from)} to {time(axis.to)}, in steps that grow with them; the highest column of a row is
          its most frequent time
        </small>
      </h3>
      <Scrolled label={`Times of ${name}`}>
        <table>
          <thead>
            <tr>
              <th scope="col">operator</th>
              <th scope="col">how often it took how long</th>
              {['timed', 'mean', 'p50', 'p90', 'p99'].map(title => (
                <th key={title} scope="col" class="right">
                  {title}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.slice(0, MOST_ROWS).map((row, at) => (
              <Row key={at} row={row} axis={axis} />
            ))}
          </tbody>
        </table>
        <LeftOut shown={Math.min(rows.length, MOST_ROWS)} of={rows.length} />
      </Scrolled>
    </>
  );
}

function Row({ row, axis }: { readonly row: TimedRow; readonly axis: TimeAxis }): JSX.Element {
  const { label, operators, timed, mean, p50, p90, p99 } = row;
  const isChosen = isSelected(operators);
  return (
    <tr class={isChosen ? 'chosen' : ''}>
      <td>
        <button type="button" class="link" aria-pressed={isChosen} onClick={() => selectOperators(operators)}>
          {label}
        </button>
      </td>
      <td>
        <svg class="histogram" width={WIDTH} height={HIGH} role="img">
          <title>{histogramWords(row)}</title>
          {barsOf(row, axis).map(({ from, to, share }) => (
            <rect
              key={from}
              x={from * WIDTH}
              y={HIGH - Math.max(1, share * HIGH)}
              width={Math.max(1, (to - from) * WIDTH - 0.5)}
              height={Math.max(1, share * HIGH)}
            />
          ))}
        </svg>
      </td>
      <td class="right">{count(timed)}</td>
      {[mean, p50, p90, p99].map((value, at) => (
        <td key={at} class="right">
          {preciseTime(value)}
        </td>
      ))}
    </tr>
  );
}
