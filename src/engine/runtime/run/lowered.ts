import type { Lowered, LoweredLoop, LoweredStage } from '../../../model/lowered.ts';
import { fuse } from '../../compile/fuse.ts';
import type { PlacedNode } from '../../compile/graph.ts';
import { isPerWorker, policyOf, type UserFunction } from '../../compile/node.ts';
import { cutSegments, fusedOperators, loopFile, rowLengthOf, wantsContext } from '../../compile/segments.ts';
import type { ExecutionPlan } from '../../compile/stages.ts';
import { isSeries } from '../../contract/source.ts';
import { needsIdentity } from './run-plan.ts';

/** The code that the lanes of a run would generate. Nothing is opened, set up or called. */
export function lowerPlan(plan: ExecutionPlan, inline: boolean): Lowered {
  const numbers = { next: 0 };
  return { graph: plan.graph, stages: plan.stages.map((_, stage) => lowerStage(plan, stage, inline, numbers)) };
}

function lowerStage(plan: ExecutionPlan, stage: number, inline: boolean, numbers: { next: number }): LoweredStage {
  const { id, nodes } = plan.stages[stage] ?? { id: '', nodes: [] };
  const calls = nodes.map(callOf);
  const identity = needsIdentity(plan, stage);
  // A lane counts its own loops; on the calling thread they are all in one.
  const first = inline ? numbers.next : 0;
  const ranges = cutSegments(nodes, calls);
  numbers.next += ranges.length;
  const loops = ranges.map(({ from, to, awaits }, number): LoweredLoop => {
    const members = nodes.slice(from, to);
    const file = loopFile(id, first + number);
    const source = nodes[0]?.node.source;
    const { text, owners, tasks } = fuse(
      fusedOperators(members, calls.slice(from, to), () => false),
      {
        series: from === 0 && source !== undefined && isSeries(source) ? source.series : undefined,
        flat: !awaits && !inline && !identity && rowLengthOf(nodes) > 0,
        identity,
        timed: false,
        nonce: file,
      },
    );
    return {
      file,
      awaits: awaits ? nodes[to]?.id : undefined,
      lines: text.split('\n').map((line, at) => ({
        text: line,
        operator: members[owners[at + 1] ?? -1]?.id,
        task: tasks[at + 1] ?? 'loop',
      })),
    };
  });
  return { id, setUp: nodes.flatMap(({ id: operator, node }) => (isPerWorker(node.call) ? [operator] : [])), loops };
}

/** Stands for a function that is made, or wrapped, in the lane; what the code generator asks is how many parameters it has. */
const PLAIN: UserFunction = (element: unknown) => element;
const GUARDED: UserFunction = (element: unknown, _context: unknown) => element;

function callOf({ node }: PlacedNode): UserFunction | undefined {
  const call = isPerWorker(node.call) ? PLAIN : node.call;
  if (call === undefined || policyOf(node) === undefined || wantsContext(call)) return call;
  return GUARDED;
}
