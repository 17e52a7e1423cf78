import type { JSX } from 'preact';
import { preciseTime, time } from '../../src/report/format.ts';
import type { LoaderBatches } from '../../src/report/page/batches.ts';
import { selection } from '../state.ts';
import { columnOf, columnsOf, longest, TIMES, type Time, timeOf } from './batch-times.ts';

const WIDTH = 900;
const NAMES = 150;
const ROW = 46;
const GAP = 8;
const AXIS = 20;
const COLUMNS = 375;
const HUES: Readonly<Record<Time, string>> = { preparation: '--running', wait: '--accent', delay: '--backpressured' };
const ROWS = Object.keys(TIMES) as Time[];

/** Times of a loader's batches over the run: one row each for preparation, wait and delay, and marks for those out of order. */
export function BatchChart({ loader: { name, batches } }: { readonly loader: LoaderBatches }): JSX.Element | null {
  const [first] = batches;
  const last = batches.at(-1);
  if (first === undefined || last === undefined) return null;
  const range = { from: first.waitStart, to: Math.max(...batches.map(({ waitEnd }) => waitEnd)) };
  const wide = (WIDTH - NAMES) / COLUMNS;
  const early = [
    ...new Set(batches.filter(({ isOutOfOrder }) => isOutOfOrder).map(batch => columnOf(batch, range, COLUMNS))),
  ];
  const height = ROWS.length * ROW + (early.length > 0 ? ROW / 2 : 0) + AXIS;
  const x = (ns: number): number => NAMES + ((ns - range.from) / Math.max(1, range.to - range.from)) * (WIDTH - NAMES);
  const chosen = selection.value.range;
  const [left, right] = chosen === undefined ? [0, 0] : [x(chosen.from * 1e9), x(chosen.to * 1e9)];
  return (
    <svg class="batches" viewBox={`0 0 ${WIDTH} ${height}`} width="100%" style={{ maxWidth: `${WIDTH}px` }} role="img">
      <title>Preparation, wait and delay of the batches of {name} over time; the table below has the longest</title>
      {ROWS.map((row, at) => (
        <g key={row} transform={`translate(0 ${at * ROW})`} style={{ color: `var(${HUES[row]})` }}>
          <text x={0} y={ROW / 2}>
            {row}
          </text>
          <text class="most" x={NAMES - 10} y={ROW / 2} text-anchor="end">
            {preciseTime(mostOf(batches, row))}
          </text>
          <path d={barsOf(columnsOf(batches, row, range, COLUMNS), mostOf(batches, row), wide)} />
        </g>
      ))}
      {early.length === 0 ? null : (
        <g class="early" transform={`translate(0 ${ROWS.length * ROW})`}>
          <text x={0} y={ROW / 4 + 4}>
            out of order
          </text>
          {early.map(column => (
            <rect key={column} x={NAMES + column * wide} y={2} width={Math.max(1.5, wide)} height={ROW / 2 - 6} />
          ))}
        </g>
      )}
      {chosen === undefined || right < NAMES || left > WIDTH ? null : (
        <rect
          class="chosen-range"
          x={Math.max(NAMES, left)}
          y={0}
          width={Math.max(1.5, Math.min(WIDTH, right) - Math.max(NAMES, left))}
          height={height - AXIS}
        />
      )}
      <text x={NAMES} y={height - 4}>
        {time(range.from)}
      </text>
      <text x={WIDTH} y={height - 4} text-anchor="end">
        {time(range.to)}
      </text>
    </svg>
  );
}

const mostOf = (batches: LoaderBatches['batches'], row: Time): number => {
  const [most] = longest(batches, row);
  return most === undefined ? 0 : timeOf(most, row);
};

/** Bars from the floor of a row upwards. */
const barsOf = (columns: readonly number[], most: number, wide: number): string =>
  columns
    .flatMap((value, at) => {
      if (!(value > 0)) return [];
      const high = Math.max(1, (value / most) * (ROW - GAP));
      return [
        `M${(NAMES + at * wide).toFixed(1)} ${ROW - 2}v-${high.toFixed(1)}h${wide.toFixed(1)}v${high.toFixed(1)}z`,
      ];
    })
    .join('');
