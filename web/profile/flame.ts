import { lineOwners, type ProfiledLoop } from '../../src/analysis/profile/profiled-lines.ts';
import type { Profile } from '../../src/report/results/profile.ts';

/** An owner of samples, and those inside it. */
export interface FlameNode {
  readonly name: string;
  /** The operator that a click selects. */
  readonly operator: string | undefined;
  readonly hits: number;
  readonly children: readonly FlameNode[];
}

const RUNTIME = {
  collection: 'garbage collection',
  compilation: 'compilation',
  native: 'native code',
  outside: 'elsewhere',
} as const;

const byHits = (a: FlameNode, b: FlameNode): number => b.hits - a.hits;

/** Samples of a profile by operator, task and generated line; beside the operators the engine's tasks and V8. */
export function flameOf({ name, samples, operators, rest, loops }: Profile): FlameNode {
  const owned = operators.map(
    ({ id, label, hits, tasks, by }): FlameNode => ({
      name: label,
      operator: id,
      hits,
      children: [
        ...tasks.map(
          ({ task, hits: its }): FlameNode => ({
            name: task,
            operator: id,
            hits: its,
            children: linesOf(loops, id, task),
          }),
        ),
        ...(by.divided > 0 ? [{ name: 'shared code', operator: id, hits: by.divided, children: [] }] : []),
      ].sort(byHits),
    }),
  );
  const engine = rest.filter(({ kind }) => kind === 'engine');
  const around: FlameNode = {
    name: 'engine',
    operator: undefined,
    hits: engine.reduce((sum, { hits }) => sum + hits, 0),
    children: engine
      .map(
        ({ task = '', hits }): FlameNode => ({
          name: task,
          operator: undefined,
          hits,
          children: linesOf(loops, undefined, task),
        }),
      )
      .sort(byHits),
  };
  const runtime = rest.flatMap(({ kind, hits }): FlameNode[] =>
    kind === 'engine' ? [] : [{ name: RUNTIME[kind], operator: undefined, hits, children: [] }],
  );
  const children = [...owned, around, ...runtime].filter(({ hits }) => hits > 0).sort(byHits);
  return { name, operator: undefined, hits: samples, children };
}

const linesOf = (loops: readonly ProfiledLoop[], operator: string | undefined, task: string): FlameNode[] =>
  loops
    .flatMap(({ lines }) => lines)
    .flatMap((line): FlameNode[] => {
      const owners = lineOwners(line);
      const own = owners.filter(each => each.operator === operator && each.task === task).length;
      const hits = (line.hits * own) / owners.length;
      return hits > 0 ? [{ name: line.text.trim(), operator, hits, children: [] }] : [];
    })
    .sort(byHits);

/** A box of the drawing: from `x` for `width`, as parts of the whole. */
export interface FlameBox {
  readonly node: FlameNode;
  readonly depth: number;
  readonly x: number;
  readonly width: number;
}

/** Boxes too narrow to be seen are left out with all that is inside them. */
const NARROWEST = 0.001;

export function flameBoxes(root: FlameNode): FlameBox[] {
  const boxes: FlameBox[] = [];
  const add = (node: FlameNode, depth: number, x: number): void => {
    const width = root.hits > 0 ? node.hits / root.hits : 0;
    if (width < NARROWEST) return;
    boxes.push({ node, depth, x, width });
    let at = x;
    for (const child of node.children) {
      add(child, depth + 1, at);
      at += child.hits / root.hits;
    }
  };
  add(root, 0, 0);
  return boxes;
}
