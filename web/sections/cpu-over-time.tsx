import type { JSX } from 'preact';
import { decimal } from '../../src/report/format.ts';
import type { LivePipeline } from '../../src/report/results/live-run.ts';

const WIDTH = 900;
const NAMES = 150;
const ROW = 46;
const MARK = 7;

/**
 * CPU of every task over time, a row each, with the intervals in which it was the bottleneck as bars below (Fig. 5 of the DAG paper).
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
    <figure>
      <svg
        viewBox={`0 0 ${WIDTH} ${rows.length * ROW}`}
        role="img"
        aria-label="CPU of every task over time, and when it was the bottleneck"
      >
        {rows.map(({ name, place, cores }, at) => (
          <g key={place} transform={`translate(0 ${at * ROW})`}>
            <text x={0} y={ROW / 2} fill="currentColor" font-size="13">
              {name.length > 20 ? `${name.slice(0, 19)}…` : name}
            </text>
            <path d={areaOf(cores, x, cpu.binSeconds, most)} fill="currentColor" opacity="0.35" />
            {segments
              .filter(segment => segment.place === place)
              .map(({ fromSeconds, toSeconds }) => (
                <rect
                  key={fromSeconds}
                  x={x(fromSeconds)}
                  y={ROW - MARK - 3}
                  width={Math.max(1, x(toSeconds) - x(fromSeconds))}
                  height={MARK}
                  fill="currentColor"
                />
              ))}
          </g>
        ))}
      </svg>
      <figcaption class="muted">
        CPU over {decimal(seconds)} s, up to {decimal(most)} {most === 1 ? 'core' : 'cores'}; a bar below a task: it was
        the bottleneck.
      </figcaption>
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
