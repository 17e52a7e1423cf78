import type { JSX } from 'preact';
import { quantity } from '../../src/report/format.ts';
import type { ClusterPrediction } from '../../src/report/results/cluster-prediction.ts';
import { type ScaleoutCurve, scaleoutChart } from './scaleout-chart.ts';

const WIDTH = 860;
const HEIGHT = 330;
const LEFT = 70;
const BOTTOM = 44;
const RIGHT = 110;
const TOP = 20;
const HUES = ['--running', '--hue-4', '--hue-1', '--hue-6', '--hue-7'];

/** Throughput against workers, with bands and the point from which on more of them bring little. */
export function ScaleoutView({ data }: { readonly data: ClusterPrediction }): JSX.Element | null {
  const chart = scaleoutChart(data);
  if (!(chart.mostThroughput > 0) || data.points.length < 2) return null;
  const most = chart.mostThroughput * 1.05;
  const x = (workers: number): number => LEFT + (workers / chart.mostWorkers) * (WIDTH - LEFT - RIGHT);
  const y = (throughput: number): number =>
    HEIGHT - BOTTOM - (Math.min(most, throughput) / most) * (HEIGHT - BOTTOM - TOP);
  const steps = stepsUpTo(most);
  const moments = [...new Set(data.points.map(({ workers }) => workers))].sort((a, b) => a - b);
  // The ideal line leaves the drawing where it is higher than all curves.
  const idealEnd = chart.alone === undefined ? 0 : Math.min(chart.mostWorkers, most / chart.alone);
  return (
    <svg class="scaleout" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} width="100%" style={{ maxWidth: `${WIDTH}px` }}>
      <title>Throughput in {data.unit} a second against workers; the table below has the figures</title>
      {steps.map(step => (
        <g key={step}>
          <line class="grid" x1={LEFT} x2={WIDTH - RIGHT} y1={y(step)} y2={y(step)} />
          <text x={LEFT - 8} y={y(step) + 4} text-anchor="end">
            {quantity(step)}
          </text>
        </g>
      ))}
      {moments.map((workers, at) =>
        at > 0 && x(workers) - x(moments[at - 1] ?? 0) < 20 ? null : (
          <text key={workers} x={x(workers)} y={HEIGHT - BOTTOM + 18} text-anchor="middle">
            {workers}
          </text>
        ),
      )}
      <text x={(LEFT + WIDTH - RIGHT) / 2} y={HEIGHT - 6} text-anchor="middle">
        workers
      </text>
      <text x={LEFT - 60} y={12}>
        {data.unit} a second
      </text>
      {chart.alone === undefined ? null : (
        <line class="ideal" x1={x(0)} y1={y(0)} x2={x(idealEnd)} y2={y(idealEnd * chart.alone)} />
      )}
      {chart.curves.map((curve, at) => (
        <Curve key={curve.servers} curve={curve} hue={HUES[at % HUES.length] ?? '--running'} x={x} y={y} />
      ))}
    </svg>
  );
}

function Curve({
  curve: { servers, points, saturation },
  hue,
  x,
  y,
}: {
  readonly curve: ScaleoutCurve;
  readonly hue: string;
  readonly x: (workers: number) => number;
  readonly y: (throughput: number) => number;
}): JSX.Element {
  const upper = points.map(({ workers, high }) => `${x(workers)} ${y(high)}`);
  const lower = points.map(({ workers, low }) => `${x(workers)} ${y(low)}`).reverse();
  const line = points.map(({ workers, estimate }) => `${x(workers)} ${y(estimate)}`);
  const last = points.at(-1);
  const full = points.find(({ workers }) => workers === saturation);
  return (
    <g style={{ color: `var(${hue})` }}>
      <path class="scaleout-band" d={`M${[...upper, ...lower].join('L')}Z`} />
      <path class="scaleout-line" d={`M${line.join('L')}`} />
      {points.map(({ workers, estimate }) => (
        <circle key={workers} cx={x(workers)} cy={y(estimate)} r={3} />
      ))}
      {full === undefined ? null : (
        <g class="saturation">
          <circle cx={x(full.workers)} cy={y(full.estimate)} r={7} />
          <text x={x(full.workers)} y={y(full.estimate) - 13} text-anchor="middle">
            saturates at {full.workers}
          </text>
        </g>
      )}
      {last === undefined || servers === 0 ? null : (
        <text class="curve-name" x={x(last.workers) + 10} y={y(last.estimate) + 4}>
          {servers === 1 ? '1 server' : `${servers} servers`}
        </text>
      )}
    </g>
  );
}

/** Round steps of an axis from 0 on. */
function stepsUpTo(most: number): number[] {
  const power = 10 ** Math.floor(Math.log10(most / 4));
  const step = ([1, 2, 5, 10].find(each => each * power >= most / 5) ?? 10) * power;
  return Array.from({ length: Math.floor(most / step) + 1 }, (_, at) => at * step);
}
