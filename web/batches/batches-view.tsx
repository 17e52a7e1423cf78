import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import { preciseTime } from '../../src/report/format.ts';
import type { BatchesData, LoaderBatches, PageBatch } from '../../src/report/page/batches.ts';
import { batchWords } from '../../src/report/views/batches.ts';
import { Scrolled } from '../blocks.tsx';
import { selection, selectRange } from '../state.ts';
import { BatchChart } from './batch-chart.tsx';
import { longest, rangeOf, TIMES, type Time, timeOf } from './batch-times.ts';

const MOST_ROWS = 20;

/** Batches of every loader: their times over the run, and the latest of them by name. */
export const BatchesView = ({ data }: { readonly data: BatchesData }): JSX.Element => (
  <>
    {data.loaders.map(loader => (
      <Loader key={loader.name} loader={loader} />
    ))}
  </>
);

function Loader({ loader }: { readonly loader: LoaderBatches }): JSX.Element {
  const by = useSignal<Time>('wait');
  const rows = useMemo(() => longest(loader.batches, by.value).slice(0, MOST_ROWS), [loader, by.value]);
  return (
    <>
      <h3>
        {loader.name}
        <small>{batchWords(loader)}</small>
      </h3>
      <BatchChart loader={loader} />
      <Scrolled label={`Batches of ${loader.name} with the longest ${by.value}`}>
        <table>
          <thead>
            <tr>
              <th scope="col">batch</th>
              {(Object.keys(TIMES) as Time[]).map(time => (
                <th key={time} scope="col" class="right" aria-sort={time === by.value ? 'descending' : 'none'}>
                  <button
                    type="button"
                    class="link"
                    title={`The longest ${time} first`}
                    onClick={() => {
                      by.value = time;
                    }}
                  >
                    {time}
                    <span aria-hidden="true">{time === by.value ? ' ▾' : ''}</span>
                  </button>
                </th>
              ))}
              <th scope="col">order</th>
            </tr>
          </thead>
          <tbody>
            {rows.map(batch => (
              <Row key={`${batch.consumer} ${batch.number}`} batch={batch} />
            ))}
          </tbody>
        </table>
      </Scrolled>
      {loader.batches.length > rows.length ? (
        <p class="muted">
          {rows.length} of {loader.consumed} batches; a click shows one on the timeline.
        </p>
      ) : null}
    </>
  );
}

function Row({ batch }: { readonly batch: PageBatch }): JSX.Element {
  const range = rangeOf(batch);
  const chosen = selection.value.range;
  const isChosen = chosen?.from === range.from && chosen.to === range.to;
  return (
    <tr class={isChosen ? 'chosen' : ''}>
      <td>
        <button
          type="button"
          class="link"
          aria-pressed={isChosen}
          onClick={() => selectRange(isChosen ? undefined : range)}
        >
          batch {batch.number}
        </button>
      </td>
      {(Object.keys(TIMES) as Time[]).map(time => (
        <td key={time} class="right">
          {preciseTime(timeOf(batch, time))}
        </td>
      ))}
      <td>{batch.isOutOfOrder ? 'before an earlier one' : ''}</td>
    </tr>
  );
}
