import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import { decimal, percent, rate } from '../../src/report/format.ts';
import type { PipelineDiagnosis } from '../../src/report/results/diagnosis.ts';
import type { RunInfo } from '../../src/report/results/run-info.ts';
import { linkOf } from '../link.ts';
import { selection } from '../state.ts';
import { mainStates, StateLegend, StateRects, stateWords } from '../state-bar.tsx';
import { BOX, type PlacedBox, type PlacedLine, placed } from './layout.ts';
import { stageGraph } from './stage-graph.ts';

/** Widths of lines, px. */
const THINNEST = 1.5;
const THICKEST = 9;
/** Characters of a name that fit into a box. */
const MOST_CHARACTERS = 21;

const cut = (text: string): string => (text.length > MOST_CHARACTERS ? `${text.slice(0, MOST_CHARACTERS - 1)}…` : text);

/** The graph of stages: what each does with its time, and how full the queues between them are. */
export function GraphView({
  diagnosis,
  info,
}: {
  readonly diagnosis: PipelineDiagnosis;
  readonly info: RunInfo | undefined;
}): JSX.Element {
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
  const graph = useMemo(() => stageGraph(diagnosis, info), [diagnosis, info]);
  const layout = useMemo(
    () => (graph === undefined || room.value === 0 ? undefined : placed(graph, room.value)),
    [graph, room.value],
  );
  return (
    <div class="graph-frame" ref={frame}>
      {graph === undefined ? (
        <p class="muted">
          {diagnosis.graph.operators.length} operators are too many for a drawing: the tables below have them.
        </p>
      ) : null}
      {layout === undefined ? null : (
        <svg class="graph" width={layout.width} height={layout.height} viewBox={`0 0 ${layout.width} ${layout.height}`}>
          <title>Graph of stages, upstream first</title>
          {layout.lines.map(line => (
            <Line key={`${line.from} ${line.to}`} line={line} />
          ))}
          {layout.boxes.map(box => (
            <Box key={box.id} box={box} />
          ))}
        </svg>
      )}
      <StateLegend />
    </div>
  );
}

function Box({ box }: { readonly box: PlacedBox }): JSX.Element {
  const { x, y, width, height, operators, states, title, isCause } = box;
  const ids = operators.map(({ id }) => id);
  const isChosen = ids.length > 0 && ids.some(id => selection.value.operators.includes(id));
  const names = operators.map(({ label }) => label).join(', ') || title;
  const label = `${names}, ${title}: ${states === undefined ? 'not measured' : stateWords(states)}${isCause ? '. It limits the pipeline' : ''}`;
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
          {isCause ? '◆ limits the pipeline' : title}
        </text>
        {isCause ? (
          <text class="box-title" x={width - 12} y={18} text-anchor="end">
            {title}
          </text>
        ) : null}
        {operators.map(({ id, label: name, cpuShare, isCause: limits }, at) => (
          <g key={id} transform={`translate(0 ${BOX.title + at * BOX.row})`}>
            <rect class="cpu" x={0} y={1} width={Math.max(0, cpuShare ?? 0) * width} height={BOX.row - 2} />
            <text class={`box-operator ${limits ? 'limits' : ''}`} x={12} y={15}>
              {cut(name)}
            </text>
            <text class="box-figure" x={width - 12} y={15} text-anchor="end">
              {cpuShare === undefined ? '' : percent(cpuShare)}
            </text>
          </g>
        ))}
        {states === undefined ? null : (
          <g transform={`translate(0 ${height - BOX.states})`}>
            <StateRects states={states} x={12} y={7} width={width - 24} height={9} />
            <text class="box-states" x={12} y={31}>
              {mainStates(states)}
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
      <title>{[rate(elements), words].filter(text => text !== '').join('; ')}</title>
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
          {rate(elements)}
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
