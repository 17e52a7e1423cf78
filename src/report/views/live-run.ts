import { STATES } from '../../model/state.ts';
import { NS_PER_SECOND } from '../../model/units.ts';
import { heading, paragraph } from '../blocks.ts';
import { figures, names, optional, table } from '../columns.ts';
import { coreCount, decimal, orBlank, percent, plural, precisePercent, rate, time } from '../format.ts';
import { type Label, labelsOf } from '../labels.ts';
import type { HeldPlaceRow, LivePipeline, LivePlace, LiveRun, LiveTask } from '../results/live-run.ts';
import type { Block, GraphBlock, Report, TableBlock, VerdictBlock } from '../tree.ts';
import { recentLoaderLine } from './recent-loader.ts';

const seconds = (value: number): string => time(value * NS_PER_SECOND);

/** A run while it goes on. */
export function liveRunReport(live: LiveRun): Report {
  const { pipeline, loader } = live;
  const isOver = live.status !== 'running';
  const ended = live.complete ? live.status : 'broke off';
  const state = isOver ? `${ended} after` : 'runs for';
  const title = paragraph(`${live.name} ${state} ${seconds(live.seconds)}`, 'muted');
  if (loader !== undefined) return [{ type: 'verdict', text: recentLoaderLine(loader) }, title];
  if (pipeline === undefined) {
    return [{ type: 'verdict', text: 'Nothing was recorded yet.' }, title];
  }
  return [...pipelineBlocks(pipeline, isOver), title];
}

function pipelineBlocks(pipeline: LivePipeline, isOver: boolean): Block[] {
  const label = labelsOf(pipeline.graph.operators);
  return [
    verdict(pipeline, isOver, label),
    heading('Pipeline', `utilisation of each operator's lanes in the last ${seconds(pipeline.windowSeconds)}`),
    busyGraph(pipeline),
    heading('Tasks', 'shares of their time, and cores in use'),
    taskTable(pipeline.tasks, label),
    ...(pipeline.held.length === 0
      ? []
      : [heading('Bottlenecks so far', 'chronic: half of the time or more'), heldTable(pipeline.held, label)]),
  ];
}

const LIMITS: Readonly<Record<LivePlace['limit'], string>> = {
  cpu: 'busy',
  blocked: 'busy, mostly asleep outside',
  skew: 'one lane busy',
  channel: 'full',
};

function verdict({ now, held, windowSeconds }: LivePipeline, isOver: boolean, label: Label): VerdictBlock {
  if (now === undefined) {
    return { type: 'verdict', text: `Nothing holds the flow back clearly in the last ${seconds(windowSeconds)}.` };
  }
  const row = held.find(({ place }) => place === now.place);
  const share = row === undefined ? '' : `; ${row.nature}, ${percent(row.share)} of the time so far`;
  const text = `${placeName(now, label)} ${isOver ? 'limited this pipeline at its end' : 'limits this pipeline now'}: ${LIMITS[now.limit]} ${percent(now.share)}, since ${decimal(now.sinceSeconds)} s${share}`;
  return { type: 'verdict', text };
}

/** `decode+resize`; of a channel the operators at its ends. */
export function placeName({ place, operators }: Pick<LivePlace, 'place' | 'operators'>, label: Label): string {
  const named = operators.map(label).join(place.startsWith('channel:') ? ' → ' : '+');
  return named || place.slice(place.indexOf(':') + 1);
}

function busyGraph({ graph, tasks, now }: LivePipeline): GraphBlock {
  const taskOf = new Map(tasks.flatMap(task => task.operators.map(id => [id, task] as const)));
  return {
    type: 'graph',
    nodes: graph.operators.map(({ id, label, inputs }) => {
      const task = taskOf.get(id);
      const isLast = task?.operators.at(-1) === id;
      return {
        id,
        label,
        inputs,
        share: task?.busy,
        ...(isLast && { figure: rate(task.elementsPerSecond) }),
        emphasis: now?.operators.includes(id) === true,
      };
    }),
    groups: tasks
      .filter(({ operators }) => operators.length > 0)
      .map(({ operators, lanes }) => ({ nodes: operators, label: plural(lanes, 'lane') })),
    edges: [],
  };
}

const TITLES = { running: 'running', runnable: 'queued', blocked: 'blocked', starved: 'starved' } as const;

const taskTable = (tasks: readonly LiveTask[], label: Label): TableBlock =>
  table(tasks, [
    names('task', ({ operators, id }) => operators.map(label).join('+') || id),
    figures('lanes', ({ lanes }) => String(lanes)),
    figures('rate', ({ elementsPerSecond }) => orBlank(rate, elementsPerSecond)),
    figures('CPU', ({ cores }) => coreCount(cores)),
    ...STATES.map(state => {
      const title = state === 'backpressured' ? 'back-pressured' : TITLES[state];
      return optional(figures(title, ({ states }: LiveTask) => precisePercent(states[state])));
    }),
  ]);

const heldTable = (held: readonly HeldPlaceRow[], label: Label): TableBlock =>
  table(held, [
    names('place', row => placeName(row, label)),
    names('', ({ nature }) => nature),
    figures('first', ({ firstSeconds }) => `${decimal(firstSeconds)} s`),
    figures('held', row => seconds(row.seconds)),
    figures('share', ({ share }) => percent(share)),
    figures('times', ({ times }) => String(times)),
  ]);
