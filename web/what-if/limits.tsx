import type { JSX } from 'preact';
import { rate } from '../../src/report/format.ts';
import type { Prediction } from '../../src/report/results/prediction.ts';
import type { FactsBlock } from '../../src/report/tree.ts';

const WIDTH = 760;
const NAMES = 210;
const ROW = 30;
const TOP = 40;
/** Space for figures behind the longest bar. */
const FIGURES = 80;
/** How far past the greatest rate the axis goes for the sake of intervals. */
const BEYOND = 1.4;

/** Rates on a logarithmic axis: each limit as a bar, what was measured and what is forecast as lines across all of them. */
export function Limits({
  prediction: { ceiling, measured, forecast },
  names,
}: {
  readonly prediction: Pick<Prediction, 'ceiling' | 'measured' | 'forecast'>;
  /** The limits in words, in the same order. */
  readonly names: FactsBlock['items'];
}): JSX.Element | null {
  const limits = ceiling.constraints.filter(({ rate: { estimate } }) => Number.isFinite(estimate) && estimate > 0);
  const rates = [...limits.map(limit => limit.rate.estimate), measured.estimate, forecast.rate.estimate].filter(
    each => Number.isFinite(each) && each > 0,
  );
  if (limits.length === 0 || rates.length === 0) return null;
  const highs = [...limits.map(limit => limit.rate.high), forecast.rate.high].filter(Number.isFinite);
  const [least, greatest] = [Math.min(...rates) / 3, Math.max(...rates)];
  const most = Math.min(BEYOND * greatest, Math.max(greatest, ...highs));
  const x = (each: number): number => {
    const part = Math.log(Math.min(most, Math.max(least, each)) / least) / Math.log(most / least);
    return NAMES + part * (WIDTH - NAMES - FIGURES);
  };
  const height = TOP + limits.length * ROW + 8;
  const { low, high, estimate } = forecast.rate;
  const isForecast = Number.isFinite(estimate);
  return (
    <svg class="limits" viewBox={`0 0 ${WIDTH} ${height}`} width="100%" style={{ maxWidth: `${WIDTH + 140}px` }}>
      <title>
        Limits: {limits.map((limit, at) => `${names[at]?.label ?? limit.kind} ${rate(limit.rate.estimate)}`).join(', ')}
        . Measured {rate(measured.estimate)}.
      </title>
      {isForecast ? (
        <rect class="band" x={x(low)} y={TOP - 8} width={Math.max(1, x(high) - x(low))} height={height - TOP} />
      ) : null}
      {limits.map((limit, at) => {
        const y = TOP + at * ROW;
        const right = x(limit.rate.estimate);
        return (
          <g key={`${limit.kind} ${limit.operator ?? ''}`} class={at === 0 ? 'tightest' : ''}>
            <text class="limit-name" x={NAMES - 12} y={y + 13} text-anchor="end">
              {cut(names[at]?.label ?? limit.kind)}
            </text>
            <rect class="limit" x={NAMES} y={y + 2} width={Math.max(1, right - NAMES)} height={15} rx={2} />
            {Number.isFinite(limit.rate.high) && limit.rate.high > limit.rate.low ? (
              <line class="whisker" x1={x(limit.rate.low)} x2={x(limit.rate.high)} y1={y + 9.5} y2={y + 9.5} />
            ) : null}
            <text class="limit-figure" x={Math.max(right, x(limit.rate.high)) + 8} y={y + 14}>
              {rate(limit.rate.estimate)}
            </text>
          </g>
        );
      })}
      <Mark
        x={x(measured.estimate)}
        text={`measured ${rate(measured.estimate)}`}
        height={height}
        kind="measured"
        anchor={isForecast && estimate < measured.estimate ? 'start' : 'end'}
      />
      {isForecast ? (
        <Mark
          x={x(estimate)}
          text={`forecast ${rate(estimate)}`}
          height={height}
          kind="forecast"
          anchor={estimate < measured.estimate ? 'end' : 'start'}
        />
      ) : null}
    </svg>
  );
}

const MOST_CHARACTERS = 30;
const cut = (text: string): string => (text.length > MOST_CHARACTERS ? `${text.slice(0, MOST_CHARACTERS - 1)}…` : text);

const Mark = ({
  x,
  text,
  height,
  kind,
  anchor,
}: {
  readonly x: number;
  readonly text: string;
  readonly height: number;
  readonly kind: string;
  readonly anchor: 'start' | 'end';
}): JSX.Element => (
  <g class={`mark-${kind}`}>
    <line x1={x} x2={x} y1={20} y2={height} />
    <text x={x} y={13} text-anchor={anchor} dx={anchor === 'end' ? -3 : 3}>
      {text}
    </text>
  </g>
);
