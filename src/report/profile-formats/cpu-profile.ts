import { NS_PER_MICROSECOND } from '../../model/units.ts';
import type { LaneStacks } from './stacks.ts';

interface Growing {
  readonly id: number;
  readonly callFrame: object;
  hitCount: number;
  readonly children: number[];
}

/** V8's own format, as DevTools, VS Code and speedscope read it: one lane, with pipeline, operator, task and line as its frames. */
export function cpuProfileFile({ samples }: LaneStacks): object {
  const nodes: Growing[] = [];
  const numbers = new Map<string, Growing>();
  const nodeOf = (stack: readonly string[]): Growing => {
    const key = JSON.stringify(stack);
    const known = numbers.get(key);
    if (known !== undefined) return known;
    const node: Growing = {
      id: nodes.length + 1,
      callFrame: frameOf(stack.at(-1) ?? '(root)'),
      hitCount: 0,
      children: [],
    };
    nodes.push(node);
    numbers.set(key, node);
    if (stack.length > 0) nodeOf(stack.slice(0, -1)).children.push(node.id);
    return node;
  };
  nodeOf([]);
  const hits = samples.map(({ stack }) => {
    const node = nodeOf(stack);
    node.hitCount++;
    return node.id;
  });
  const times = samples.map(({ time }) => Math.round(time / NS_PER_MICROSECOND));
  return {
    nodes,
    startTime: times[0] ?? 0,
    endTime: times.at(-1) ?? 0,
    samples: hits,
    timeDeltas: times.map((time, at) => time - (times[at - 1] ?? time)),
  };
}

const frameOf = (functionName: string): object => ({
  functionName,
  scriptId: '0',
  url: '',
  lineNumber: -1,
  columnNumber: -1,
});
