import { StageTopology } from '../../src/graph/stage-topology.ts';
import { CONSUMER } from '../../src/model/consumer.ts';
import type { State } from '../../src/model/state.ts';
import type { PipelineDiagnosis } from '../../src/report/results/diagnosis.ts';
import type { RunInfo } from '../../src/report/results/run-info.ts';

/** A stage of the drawing, or the consumer. */
export interface StageBox {
  readonly id: string;
  readonly title: string;
  readonly operators: readonly BoxOperator[];
  /** Parts of its lanes' time. */
  readonly states: Readonly<Record<State, number>> | undefined;
  /** It is what the verdict names; its victims are not. */
  readonly isCause: boolean;
  /** Lines below its operators: what a plan changes about them. */
  readonly notes?: readonly { readonly text: string; readonly tone: 'good' | 'bad' }[];
}

export interface BoxOperator {
  readonly id: string;
  readonly label: string;
  /** Share of all CPU; undefined where it was not measured. */
  readonly cpuShare: number | undefined;
  readonly isCause: boolean;
  /** A plan put it there. */
  readonly isNew?: boolean;
}

export interface ChannelLine {
  readonly from: string;
  readonly to: string;
  /** Elements per second. */
  readonly rate: number | undefined;
  /** Width of the line: rate / the highest rate of the graph. */
  readonly weight: number;
  readonly queue: { readonly mean: number; readonly slots: number; readonly saturatedShare: number } | undefined;
}

export interface StageGraph {
  readonly boxes: readonly StageBox[];
  readonly lines: readonly ChannelLine[];
}

/** More stages than anybody could read in a drawing; tables have all of them. */
export const MOST_BOXES = 300;

/** The diagnosed graph by stages, with the queues that were recorded. Undefined where it is too large to draw. */
export function stageGraph(diagnosis: PipelineDiagnosis, info: RunInfo | undefined): StageGraph | undefined {
  const { graph, stages, rows, verdict, consumer } = diagnosis;
  if (Math.max(graph.stages.length, graph.operators.length) > MOST_BOXES) return undefined;
  const topology = new StageTopology(graph);
  const causes = new Set(verdict.limits ? verdict.operators : []);
  const rowOf = new Map(rows.map(row => [row.id, row]));
  const statesOf = new Map(stages.map(({ id, states }) => [id, states]));
  const lanesOf = new Map(stages.map(({ id, lanes }) => [id, lanes]));
  const boxes = topology.vertices.map((vertex): StageBox => {
    if (vertex.id === CONSUMER) {
      const isCause = verdict.kind === 'consumer-bound';
      const states = consumer && {
        running: consumer.busy,
        runnable: 0,
        blocked: 0,
        starved: consumer.waitShare,
        backpressured: 0,
      };
      return { id: vertex.id, title: 'consumer', operators: [], states, isCause };
    }
    const operators = vertex.operators.map(({ id, label }) => ({
      id,
      label,
      cpuShare: rowOf.get(id)?.cpuShare,
      isCause: causes.has(id),
    }));
    const lanes = lanesOf.get(vertex.id) ?? 0;
    return {
      id: vertex.id,
      title: lanes === 1 ? '1 lane' : `${lanes} lanes`,
      operators,
      states: statesOf.get(vertex.id),
      isCause: operators.some(({ isCause }) => isCause),
    };
  });
  const queues = new Map(info?.channels.map(channel => [channel.id, channel]));
  const rates = topology.edges.map(({ from }) => rowOf.get(from.operators.at(-1)?.id ?? '')?.elementsPerSecond);
  const most = Math.max(0, ...rates.filter(each => each !== undefined));
  const lines = topology.edges.map(({ from, to, channels }, at): ChannelLine => {
    const queue = channels.map(({ id }) => queues.get(id)).find(each => each !== undefined);
    const rate = rates[at];
    return {
      from: from.id,
      to: to.id,
      rate,
      weight: rate === undefined || !(most > 0) ? 0 : rate / most,
      queue: queue && { mean: queue.meanOccupancy, slots: queue.slots, saturatedShare: queue.saturatedShare },
    };
  });
  return { boxes, lines };
}
