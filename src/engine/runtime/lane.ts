import { VenturiError } from '../../model/errors.ts';
import type { Pipeline } from '../api/pipeline.ts';
import type { OperatorSettings } from '../api/run.ts';
import { applySettings, type PlacedNode, placeNodes } from '../compile/graph.ts';
import type { Node } from '../compile/node.ts';
import { type ExecutionPlan, type PlanOptions, planExecution } from '../compile/stages.ts';
import type { LaneDescription, LaneProbe, LaneTotals, OpenLaneProbe, ProbeSpec } from './probe.ts';

export interface GraphOptions extends PlanOptions {
  readonly set: Readonly<Record<string, OperatorSettings>>;
  readonly epochs: number;
}

/** The plan of a run: worked out on the main thread and again in every worker, which must come to the same. */
export function planRun(pipeline: Pipeline<unknown>, options: GraphOptions): ExecutionPlan {
  const root: Node = options.epochs > 1 ? pipeline.repeat(options.epochs, { name: 'epochs' }).node : pipeline.node;
  return planExecution(applySettings(placeNodes(root), options.set), options);
}

/** Passes the source makes: what all repeats together ask for. */
export const passesOf = (nodes: readonly PlacedNode[]): number =>
  nodes.reduce((passes, { node }) => {
    if (node.kind !== 'repeat') return passes;
    return passes * (node.settings.times === 'forever' ? Number.POSITIVE_INFINITY : Number(node.settings.times));
  }, 1);

/** Per operator of stage `stage`: no repeat follows, so an operator that wants no more ends the run. */
export function finalsOf(plan: ExecutionPlan, stage: number): boolean[] {
  const members = plan.stages[stage]?.nodes ?? [];
  const lastRepeat = plan.nodes.findLastIndex(({ node }) => node.kind === 'repeat');
  return members.map(member => plan.nodes.indexOf(member) > lastRepeat);
}

/** An operator in stage `stage` or later asks which element it has. */
export const needsIdentity = (plan: ExecutionPlan, stage: number): boolean =>
  plan.stages.slice(stage).some(({ nodes }) => nodes.some(({ node }) => asksIdentity(node)));

const asksIdentity = (node: Node): boolean =>
  node.call !== undefined && (typeof node.call === 'object' || node.call.length >= 2);

/** Channels take half the memory budget; the other half is for elements under way in the lanes and at the consumer. */
export const laneAllowance = ({ stages }: ExecutionPlan, memory: number): number =>
  memory / 2 / stages.reduce((lanes, { parallelism }) => lanes + parallelism, 1);

export async function openProbe(
  spec: ProbeSpec,
  lane: LaneDescription,
  totals: LaneTotals,
  plan: ExecutionPlan,
): Promise<LaneProbe> {
  const loaded = (await import(spec.module)) as { openLaneProbe?: OpenLaneProbe };
  if (typeof loaded.openLaneProbe !== 'function') {
    throw new VenturiError('VENTURI_BAD_OPTION', `${spec.module} exports no openLaneProbe`, {
      remedy: 'give the URL of a module that exports openLaneProbe',
    });
  }
  return loaded.openLaneProbe(spec.options, lane, totals, plan.graph);
}
