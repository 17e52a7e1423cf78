import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import { decimal, percent, rate } from '../../src/report/format.ts';
import { linkOf } from '../link.ts';
import { selection } from '../state.ts';
import { mainStates, StateRects, stateWords } from '../state-bar.tsx';
import { fitted } from './fitted.ts';
import { BOX, type PlacedBox, type PlacedLine, placed } from './layout.ts';
import type { StageGraph } from './stage-graph.ts';
import { measured } from './text-measure.ts';

/** Widths of lines, px. */
const THINNEST = 1.5;
const THICKEST = 9;
/** Between the frame of a box and what stands in it. */
const INSET = 12;
const ROOM = BOX.width - 2 * INSET;
/** For a share at the right of a name, with a gap. */
const FIGURE_ROOM = 52;
/** Characters of states, which stand there in smaller letters. */
const MOST_STATE_CHARACTERS = 30;
/** As page.css has them. */
const FONT = { operator: '14px system-ui', limits: '700 14px system-ui', note: '12px system-ui' } as const;

/** A graph of stages, as wide as there is room. */
export function GraphDrawing({ graph, title }: { readonly graph: StageGraph; readonly title: string }): JSX.Element {
  const frame = useRef<HTMLDivElement>(null);
  const room = useSignal(0);
  useLayoutEffect(() => {
    const element = frame.current;
    if (element === null) return undefined;
    const observer = new ResizeObserver(() => {
      room.value = element.clientWidth;
    });
    room.value = element.clientWidth;
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  const layout = useMemo(() => (room.value === 0 ? undefined : placed(graph, room.value)), [graph, room.value]);
  return (
    <div class="graph-frame" ref={frame}>
      {layout === undefined ? null : (
        <svg class="graph" width={layout.width} height={layout.height} viewBox={`0 0 ${layout.width} ${layout.height}`}>
          <title>{title}</title>
          {layout.lines.map(line => (
            <Line key={`${line.from} ${line.to}`} line={line} />
          ))}
          {layout.boxes.map(box => (
            <Box key={box.id} box={box} />
          ))}
        </svg>
      )}
    </div>
  );
}

function Box({ box }: { readonly box: PlacedBox }): JSX.Element {
  const { x, y, width, height, operators, states, title, isCause, notes = [] } = box;
  const ids = operators.map(({ id }) => id);
  const isChosen = ids.length > 0 && ids.some(id => selection.value.operators.includes(id));
  const names = operators.map(({ label }) => label).join(', ') || title;
  const known = [...(states === undefined ? [] : [stateWords(states)]), ...notes.map(({ text }) => text)];
  const label = `${names}, ${title}: ${known.join(', ') || 'not measured'}${isCause ? '. It limits the pipeline' : ''}`;
  const others = { ...selection.value, operators: isChosen ? [] : ids };
  return (
    <g transform={`translate(${x} ${y})`}>
      <a
        class={`box ${isCause ? 'cause' : ''} ${isChosen ? 'chosen' : ''}`}
        href={`#${linkOf(others) || 'none'}`}
        aria-current={isChosen}
      >
        <title>{label}</title>
        <rect class="box-frame" width={width} height={height} rx={8} />
        <text class="box-title" x={12} y={18}>
          {isCause ? '◆ bottleneck' : title}
        </text>
        {isCause ? (
          <text class="box-title" x={width - 12} y={18} text-anchor="end">
            {title}
          </text>
        ) : null}
        {operators.map(({ id, label: name, cpuShare, isCause: limits, isNew = false }, at) => (
          <g key={id} transform={`translate(0 ${BOX.title + at * BOX.row})`}>
            <rect class="cpu" x={0} y={1} width={Math.max(0, cpuShare ?? 0) * width} height={BOX.row - 2} />
            <text class={`box-operator ${limits ? 'limits' : ''}`} x={12} y={15}>
              {fitted(name, ROOM - FIGURE_ROOM, limits ? FONT.limits : FONT.operator, measured)}
            </text>
            <text class="box-figure" x={width - 12} y={15} text-anchor="end">
              {cpuShare === undefined ? (isNew ? 'new' : '') : percent(cpuShare)}
            </text>
          </g>
        ))}
        {notes.map(({ text, tone }, at) => (
          <text key={text} class={`box-note ${tone}`} x={12} y={BOX.title + (operators.length + at) * BOX.row + 15}>
            {fitted(text, ROOM, FONT.note, measured)}
          </text>
        ))}
        {states === undefined ? null : (
          <g transform={`translate(0 ${height - BOX.states})`}>
            <StateRects states={states} x={12} y={7} width={width - 24} height={9} />
            <text class="box-states" x={12} y={31}>
              {mainStates(states, MOST_STATE_CHARACTERS) || 'no work in the steady part'}
            </text>
          </g>
        )}
      </a>
    </g>
  );
}

function Line({ line }: { readonly line: PlacedLine }): JSX.Element {
  const { points, weight, rate: elements, queue } = line;
  const path = curve(points);
  const width = THINNEST + (THICKEST - THINNEST) * Math.sqrt(weight);
  const middle = points[Math.floor(points.length / 2)] ?? { x: 0, y: 0 };
  const fill = queue === undefined ? 0 : Math.min(1, queue.mean / queue.slots);
  const words =
    queue === undefined
      ? ''
      : `${decimal(queue.mean)} of ${queue.slots} slots filled, full ${percent(queue.saturatedShare)} of the time`;
  return (
    <g class="line">
      <title>{[elements === undefined ? '' : rate(elements), words].filter(text => text !== '').join('; ')}</title>
      <path d={path} stroke-width={width} />
      <g transform={`translate(${middle.x - 20} ${middle.y - 5})`}>
        {queue === undefined ? null : (
          <>
            <rect class="queue-room" width={40} height={10} rx={5} />
            <rect class="queue-fill" width={40 * fill} height={10} rx={Math.min(5, 20 * fill)} />
            <rect class="queue-frame" width={40} height={10} rx={5} />
          </>
        )}
        <text class="line-figure" x={20} y={-5} text-anchor="middle">
          {elements === undefined ? '' : rate(elements)}
        </text>
        <text class="line-figure" x={20} y={23} text-anchor="middle">
          {queue === undefined ? '' : `${decimal(queue.mean)}/${queue.slots}`}
        </text>
      </g>
    </g>
  );
}

/** A smooth line through dagre's points: straight into the first and out of the last. */
function curve(points: readonly { readonly x: number; readonly y: number }[]): string {
  const [first, ...rest] = points;
  if (first === undefined) return '';
  let path = `M${first.x} ${first.y}`;
  for (let at = 0; at < rest.length - 1; at++) {
    const [here, next] = [rest[at], rest[at + 1]];
    if (here === undefined || next === undefined) continue;
    const isLast = at === rest.length - 2;
    const end = isLast ? next : { x: (here.x + next.x) / 2, y: (here.y + next.y) / 2 };
    path += `Q${here.x} ${here.y} ${end.x} ${end.y}`;
  }
  return rest.length === 1 ? `${path}L${rest[0]?.x} ${rest[0]?.y}` : path;
}
