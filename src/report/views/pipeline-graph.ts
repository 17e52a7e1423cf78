import { decimal, percent, plural, rate } from '../format.ts';
import type { RunInfo } from '../results/run-info.ts';
import type { GraphBlock, GraphEdge } from '../tree.ts';
import { heaviest } from './heaviest.ts';

/** The pipeline as a graph: shares of the CPU, stages with their lanes, and how full the channels were. */
export function pipelineGraph(info: RunInfo): GraphBlock {
  const { operators, stages } = info.manifest.graph ?? { operators: [], stages: [] };
  const rows = new Map(info.operators.map(row => [row.id, row]));
  const top = heaviest(info.operators);
  return {
    type: 'graph',
    nodes: operators.map(({ id, label, inputs }) => {
      const row = rows.get(id);
      return {
        id,
        label,
        inputs,
        share: row?.cpuShare,
        figure: rate(row?.elementsPerSecond),
        emphasis: id === top?.id,
      };
    }),
    groups: stages.map(stage => {
      const most = stage.operators.reduce((lanes, id) => Math.max(lanes, rows.get(id)?.lanes ?? 0), 0);
      const lanes = most || stage.parallelism;
      return {
        nodes: stage.operators,
        label: stage.parallelism === 0 ? 'inline' : plural(lanes, 'lane'),
      };
    }),
    edges: channelNotes(info),
  };
}

function channelNotes(info: RunInfo): GraphEdge[] {
  const stages = new Map(info.manifest.graph?.stages.map(stage => [stage.id, stage.operators]));
  return info.channels.map(({ from, to, meanOccupancy, slots, saturatedShare }) => ({
    // A channel may be named after the stages it joins: it leaves the last operator of one for the first of the other.
    from: stages.get(from)?.at(-1) ?? from,
    to: stages.get(to)?.[0] ?? to,
    note:
      `${decimal(meanOccupancy)} of ${slots} queued` +
      (saturatedShare >= 0.005 ? `, full ${percent(saturatedShare)} of the time` : ''),
  }));
}
