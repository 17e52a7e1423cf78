import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import uPlot from 'uplot';
import type { ActivityChart, ActivityCurve, ActivityData } from '../../src/report/page/activity.ts';
import { Scrolled } from '../blocks.tsx';
import { useDrawing } from '../drawing.ts';
import { isSelected, printing, selection, selectRange, shade } from '../state.ts';
import { resolved } from '../timeline/colours.ts';
import { summaryOf, UNIT_WORDS } from './summary.ts';

const HEIGHT = 128;
/** Of a sheet between its margins, px: a chart does not learn in time how wide paper is. */
const PAPER = 660;
const HUES = ['--hue-1', '--hue-2', '--hue-4', '--hue-3', '--hue-5', '--hue-7', '--hue-6', '--hue-8'];
const FAINT = '38';
/** Room for figures at the left, px: the same for all, so that moments stand above each other. */
const FIGURES = 72;
/** Curves whose names fit beside a title. */
const MOST_NAMED = 10;

/** The cause has a colour of its own. */
const hueOf = (operators: readonly string[], at: number, causes: ReadonlySet<string>): string =>
  operators.some(id => causes.has(id)) ? '--accent' : (HUES[at % HUES.length] ?? '--soft');

/** Lanes, channels and the host over one axis of time. */
export const ActivityView = ({
  data,
  causes,
}: {
  readonly data: ActivityData;
  readonly causes: ReadonlySet<string>;
}): JSX.Element => (
  <div class="activity">
    {data.charts.map(chart => (
      <Chart key={chart.id} chart={chart} data={data} causes={causes} />
    ))}
    {data.leftOut === 0 ? null : <p class="muted">{data.leftOut} more lanes and channels are not shown.</p>}
  </div>
);

function Chart({
  chart,
  data,
  causes,
}: {
  readonly chart: ActivityChart;
  readonly data: ActivityData;
  readonly causes: ReadonlySet<string>;
}): JSX.Element {
  const place = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot>(undefined);
  const words = UNIT_WORDS[chart.unit];

  useEffect(() => {
    const element = place.current;
    if (element === null) return undefined;
    const observer = new ResizeObserver(() => {
      plot.current?.setSize({ width: element.clientWidth, height: HEIGHT });
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, []);

  // Made anew where the theme, the data or the selected operators change; a range is drawn by itself.
  useDrawing(() => {
    const element = place.current;
    if (element === null) return undefined;
    const shown = { shade: shade.value, operators: selection.value.operators };
    const made = new uPlot(
      optionsOf(
        chart,
        element,
        printing.value ? PAPER : element.clientWidth,
        causes,
        chart.curves.some(({ operators }) => operators.some(id => shown.operators.includes(id))),
      ),
      [
        Array.from({ length: data.bins }, (_, at) => (at + 0.5) * data.binSeconds),
        ...chart.curves.map(({ values }) => [...values]),
      ],
      element,
    );
    plot.current = made;
    return () => {
      made.destroy();
      plot.current = undefined;
    };
  });
  useDrawing(() => {
    const { range } = selection.value;
    if (plot.current !== undefined) showRange(plot.current, range);
    return undefined;
  });

  const rows = chart.curves.flatMap(curve => summaryOf(curve, data.binSeconds, selection.value.range) ?? []);
  return (
    <figure class="chart">
      <figcaption>
        {chart.title}
        {chart.curves.length > MOST_NAMED ? null : (
          <ul class="legend">
            {chart.curves.map(({ label, operators }, at) => (
              <li key={at}>
                <svg width="12" height="4" aria-hidden="true">
                  <title>{label}</title>
                  <rect width="12" height="4" rx="2" style={{ fill: `var(${hueOf(operators, at, causes)})` }} />
                </svg>
                {label}
              </li>
            ))}
          </ul>
        )}
      </figcaption>
      <div ref={place} />
      <details>
        <summary>{chart.curves.length === 1 ? 'figures' : `figures of ${chart.curves.length} curves`}</summary>
        <Scrolled label={chart.title}>
          <table>
            <thead>
              <tr>
                <th scope="col">{selection.value.range === undefined ? 'over the run' : 'in the selection'}</th>
                <th scope="col" class="right">
                  least
                </th>
                <th scope="col" class="right">
                  mean
                </th>
                <th scope="col" class="right">
                  most
                </th>
              </tr>
            </thead>
            <tbody>
              {rows.map(({ label, least, mean, most }, at) => (
                <tr key={at}>
                  <td>{label}</td>
                  <td class="right">{words(least)}</td>
                  <td class="right">{words(mean)}</td>
                  <td class="right">{words(most)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </Scrolled>
      </details>
    </figure>
  );
}

function optionsOf(
  chart: ActivityChart,
  element: HTMLElement,
  width: number,
  causes: ReadonlySet<string>,
  isSelecting: boolean,
): uPlot.Options {
  const hues = chart.curves.map(({ operators }, at) => hueOf(operators, at, causes));
  const [soft = '', line = '', ...colours] = resolved(['--soft', '--line', ...hues], element);
  const words = UNIT_WORDS[chart.unit];
  const colourOf = (curve: ActivityCurve, at: number): string => {
    const colour = colours[at] ?? soft;
    return isSelecting && curve.operators.length > 0 && !isSelected(curve.operators) ? `${colour}${FAINT}` : colour;
  };
  const axis = { stroke: soft, grid: { stroke: line, width: 1 }, ticks: { show: false }, font: '11px system-ui' };
  return {
    width,
    height: HEIGHT,
    legend: { show: false },
    cursor: { sync: { key: 'venturi' }, y: false, drag: { setScale: false, x: true, y: false } },
    scales: {
      x: { time: false },
      y: { range: (_, __, most) => [0, chart.unit === 'share' ? Math.max(1, most) : most > 0 ? most * 1.08 : 1] },
    },
    axes: [
      { ...axis, size: 24, values: (_, moments) => moments.map(moment => `${Number(moment.toPrecision(6))} s`) },
      { ...axis, size: FIGURES, values: (_, values) => axisWords(values, words) },
    ],
    series: [
      {},
      ...chart.curves.map(
        (curve, at): uPlot.Series => ({
          label: curve.label,
          stroke: colourOf(curve, at),
          width: 1.5,
          points: { show: false },
          // Some gauges are read more rarely than bins are wide.
          spanGaps: true,
        }),
      ),
    ],
    padding: [6, 10, 0, 0],
    hooks: {
      ready: [made => showRange(made, selection.peek().range)],
      setSelect: [
        made => {
          const { left, width } = made.select;
          // Also called where a range that was chosen elsewhere is shown.
          if (width < 4 || made.cursor.event?.type !== 'mouseup') return;
          selectRange({ from: Math.max(0, made.posToVal(left, 'x')), to: made.posToVal(left + width, 'x') });
        },
      ],
    },
  };
}

/** A figure that rounds to the one below it is not repeated. */
const axisWords = (values: readonly number[], words: (value: number) => string): string[] =>
  values.map((value, at) => (at > 0 && words(value) === words(values[at - 1] ?? Number.NaN) ? '' : words(value)));

function showRange(plot: uPlot, range: { readonly from: number; readonly to: number } | undefined): void {
  const height = plot.over.clientHeight;
  const left = range === undefined ? 0 : plot.valToPos(range.from, 'x');
  const width = range === undefined ? 0 : plot.valToPos(range.to, 'x') - left;
  plot.setSelect({ left, top: 0, width, height: width > 0 ? height : 0 }, false);
}
