import { useComputed, useSignal, useSignalEffect } from '@preact/signals';
import type { JSX } from 'preact';
import { tileNs } from '../../src/analysis/pyramid/tile.ts';
import { percent, preciseTime } from '../../src/report/format.ts';
import type { TileSource, TimelineData } from '../../src/report/page/tiles.ts';
import { MOST_ROWS, Scrolled } from '../blocks.tsx';
import { selection, selectOperators } from '../state.ts';
import { rangeTotals } from './totals.ts';
import { NS } from './viewport.ts';

/** Time by operator in the selected range, or in the whole run: the drawing as text. */
export function TotalsTable({
  data,
  tiles,
  colours,
}: {
  readonly data: TimelineData;
  readonly tiles: TileSource;
  readonly colours: readonly string[];
}): JSX.Element {
  const rows = useSignal<readonly (readonly [subject: number, ns: number])[]>([]);
  const range = useComputed(() => {
    const { range: chosen } = selection.value;
    return chosen === undefined
      ? { from: 0, to: data.durationNs }
      : { from: Math.max(0, chosen.from * NS), to: Math.min(data.durationNs, chosen.to * NS) };
  });
  useSignalEffect(() => {
    // Of a whole run one tile of each series: nothing happens behind its end.
    const { from, to } =
      selection.value.range === undefined ? { from: 0, to: tileNs(data.binNs, data.coarsest) } : range.value;
    let isCurrent = true;
    const series = data.lanes.flatMap(lane => lane.series.map(({ key }) => key));
    const add = async (): Promise<void> => {
      const totals = await rangeTotals(data, series, { from, to }, tiles);
      if (isCurrent) rows.value = [...totals].sort(([, a], [, b]) => b - a);
    };
    void add();
    return () => {
      isCurrent = false;
    };
  });
  const { from, to } = range.value;
  return (
    <>
      <h3>
        {selection.value.range === undefined ? 'Time in spans' : 'Time in spans of the selection'}
        <small>
          {preciseTime(to - from)} from {(from / NS).toFixed(3)} s; lanes work at once, so shares add up to more than a
          whole
        </small>
      </h3>
      <Scrolled label="Time by operator and phase">
        <table>
          <thead>
            <tr>
              <th scope="col">operator or phase</th>
              <th scope="col" class="right">
                time
              </th>
              <th scope="col" class="right">
                of {selection.value.range === undefined ? 'the run' : 'the selection'}
              </th>
            </tr>
          </thead>
          <tbody>
            {rows.value.slice(0, MOST_ROWS).map(([subject, ns]) => {
              const its = data.subjects[subject];
              return (
                <tr key={subject}>
                  <td>
                    <svg width="10" height="10" aria-hidden="true">
                      <title>{its?.label}</title>
                      <rect width="10" height="10" rx="2" style={{ fill: `var(${colours[subject]})` }} />
                    </svg>{' '}
                    {its === undefined || its.operators.length === 0 ? (
                      its?.label
                    ) : (
                      <button type="button" class="link" onClick={() => selectOperators(its.operators)}>
                        {its.label}
                      </button>
                    )}
                    <small class="muted"> {its?.key.split(':')[0]}</small>
                  </td>
                  <td class="right">{preciseTime(ns)}</td>
                  <td class="right">{percent(to > from ? ns / (to - from) : 0)}</td>
                </tr>
              );
            })}
          </tbody>
        </table>
        {rows.value.length > MOST_ROWS ? (
          <p class="muted">
            Those with the most time; {rows.value.length - MOST_ROWS} more are in <code>venturi export --to csv</code>.
          </p>
        ) : null}
      </Scrolled>
    </>
  );
}
