import type { JSX } from 'preact';
import { decimal } from '../../src/report/format.ts';
import type { LivePipeline } from '../../src/report/results/live-run.ts';

const WIDTH = 900;
const NAMES = 150;
const ROW = 46;
const MARK = 7;

/** Colours are those of causes elsewhere; a bar tells the same by its place. */
const LEGEND = [
  { words: 'CPU', height: 12, fill: 'task-cpu' },
  { words: 'CPU of the bottleneck of that time', height: 12, fill: 'task-cpu limiting' },
  { words: 'was the bottleneck', height: MARK, fill: 'limited' },
] as const;

/**
 * CPU of every task over time, a row each, with the intervals in which it was the bottleneck coloured and as bars below (Fig. 5 of the DAG paper).
 * A channel that was the bottleneck has a bar in a row of its own.
 */
export function CpuOverTime({ pipeline }: { readonly pipeline: LivePipeline }): JSX.Element {
  const { cpu, segments, graph } = pipeline;
  const labels = new Map(graph.operators.map(({ id, label }) => [id, label]));
  const nameOf = (id: string): string =>
    pipeline.tasks
      .find(task => task.id === id)
      ?.operators.map(operator => labels.get(operator) ?? operator)
      .join('+') || id;
  const channelName = (id: string): string => {
    const channel = graph.channels.find(each => each.id === id);
    return channel === undefined ? id : [channel.from, channel.to].map(each => labels.get(each) ?? each).join(' → ');
  };
  const channels = [...new Set(segments.flatMap(({ place }) => (place?.startsWith('channel:') ? [place] : [])))];
  const rows = [
    ...cpu.tasks.map(({ id, cores }) => ({ name: nameOf(id), place: `vertex:${id}`, cores })),
    ...channels.map(place => ({
      name: channelName(place.slice('channel:'.length)),
      place,
      cores: [] as readonly number[],
    })),
  ];
  const seconds = Math.max(
    1,
    ...segments.map(({ toSeconds }) => toSeconds),
    ...rows.map(({ cores }) => cores.length * cpu.binSeconds),
  );
  const most = Math.max(1, ...rows.flatMap(({ cores }) => cores));
  const x = (second: number): number => NAMES + (second / seconds) * (WIDTH - NAMES);
  return (
    <figure class="chart">
      <figcaption>
        CPU over {decimal(seconds)} s, up to {decimal(most)} {most === 1 ? 'core' : 'cores'}
        <ul class="legend">
          {LEGEND.map(({ words, height, fill }) => (
            <li key={words}>
              <svg width="12" height="12" aria-hidden="true">
                <title>{words}</title>
                <rect class={fill} y={12 - height} width="12" height={height} />
              </svg>
              {words}
            </li>
          ))}
        </ul>
      </figcaption>
      <svg
        class="cpu-over-time"
        viewBox={`0 0 ${WIDTH} ${rows.length * ROW}`}
        role="img"
        aria-label="CPU of every task over time, and when it was the bottleneck"
      >
        {rows.map(({ name, place, cores }, at) => {
          const area = areaOf(cores, x, cpu.binSeconds, most);
          const held = segments
            .filter(segment => segment.place === place)
            .map(({ fromSeconds, toSeconds }) => ({
              words: `${name}: the bottleneck from ${decimal(fromSeconds)} s to ${decimal(toSeconds)} s`,
              left: x(fromSeconds),
              width: Math.max(1, x(toSeconds) - x(fromSeconds)),
            }));
          return (
            <g key={place} transform={`translate(0 ${at * ROW})`}>
              <text x={0} y={ROW / 2}>
                {name.length > 20 ? `${name.slice(0, 19)}…` : name}
              </text>
              <path class="task-cpu" d={area} />
              {held.length === 0 ? null : (
                <>
                  <clipPath id={`limiting-${at}`}>
                    {held.map(({ left, width }) => (
                      <rect key={left} x={left} y={0} width={width} height={ROW} />
                    ))}
                  </clipPath>
                  <path class="task-cpu limiting" d={area} clip-path={`url(#limiting-${at})`} />
                </>
              )}
              {held.map(({ words, left, width }) => (
                <rect key={left} class="limited" x={left} y={ROW - MARK - 3} width={width} height={MARK}>
                  <title>{words}</title>
                </rect>
              ))}
            </g>
          );
        })}
      </svg>
    </figure>
  );
}

function areaOf(cores: readonly number[], x: (second: number) => number, binSeconds: number, most: number): string {
  if (cores.length === 0) return '';
  const floor = ROW - MARK - 5;
  const points = cores.map(
    (value, bin) => `L${x((bin + 0.5) * binSeconds).toFixed(1)} ${(floor - (value / most) * (floor - 4)).toFixed(1)}`,
  );
  return `M${x(0).toFixed(1)} ${floor} ${points.join(' ')} L${x(cores.length * binSeconds).toFixed(1)} ${floor}Z`;
}
