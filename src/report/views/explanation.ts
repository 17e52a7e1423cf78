import type { Graph } from '../../model/graph.ts';
import type { LoweredLoop, LoweredStage } from '../../model/lowered.ts';
import { heading, paragraph } from '../blocks.ts';
import { figures, names, table } from '../columns.ts';
import { plural } from '../format.ts';
import { ownerLines } from '../owner-lines.ts';
import type { Explanation } from '../results/explanation.ts';
import type { Block, GraphBlock, Report } from '../tree.ts';

/** The plan first, then what each stage is made of, then its code. */
export function explanationReport({ pipeline, graph, stages }: Explanation): Report {
  const lanes = graph.stages.reduce((sum, { parallelism }) => sum + parallelism, 0);
  const threads = lanes === 0 ? 'on the calling thread' : `in ${plural(lanes, 'lane')}`;
  const text = `${pipeline}: ${plural(graph.operators.length, 'operator')} in ${plural(graph.stages.length, 'stage')}, ${threads}`;
  return [
    { type: 'verdict', text },
    heading('Graph'),
    plannedGraph(graph),
    heading('Tasks', 'what the loops of each stage do, by operator; the engine has the lines in between'),
    taskTable(stages),
    ...stages.flatMap(codeBlocks),
  ];
}

/** The pipeline before it runs: nothing is measured. */
const plannedGraph = ({ operators, stages }: Graph): GraphBlock => ({
  type: 'graph',
  nodes: operators.map(({ id, label, inputs }) => ({ id, label, inputs, share: undefined })),
  groups: stages.map(stage => ({
    nodes: stage.operators,
    label: stage.parallelism === 0 ? 'inline' : plural(stage.parallelism, 'lane'),
  })),
  edges: [],
});

interface TaskRow {
  readonly stage: string;
  readonly operator: string;
  readonly tasks: string;
  readonly lines: number;
}

function taskTable(stages: readonly LoweredStage[]): Block {
  const rows = stages.flatMap(({ id, loops }): TaskRow[] => {
    const lines = loops.flatMap(loop => loop.lines);
    const operators = [...new Set(lines.map(({ operator }) => operator))].sort(
      (a, b) => Number(a === undefined) - Number(b === undefined),
    );
    return operators.map((operator, at) => {
      const own = lines.filter(line => line.operator === operator);
      return {
        stage: at === 0 ? id : '',
        operator: operator ?? 'the engine',
        tasks: [...new Set(own.map(({ task }) => task))].join(', '),
        lines: own.length,
      };
    });
  });
  return table(rows, [
    names('stage', ({ stage }) => stage),
    names('operator', ({ operator }) => operator),
    names('tasks', ({ tasks }) => tasks),
    figures('lines', ({ lines }) => String(lines)),
  ]);
}

function codeBlocks({ id, setUp, loops }: LoweredStage): Block[] {
  const later =
    setUp.length === 0
      ? []
      : [
          paragraph(
            `Made in the lane, and taken for a plain function of an element here: ${setUp.join(', ')}.`,
            'muted',
          ),
        ];
  return [...loops.flatMap((loop): Block[] => [heading(`Code of ${id}`, noteOf(loop)), codeOf(loop)]), ...later];
}

const noteOf = ({ file, awaits }: LoweredLoop): string =>
  awaits === undefined ? file : `${file}; what leaves it is awaited by ${awaits}`;

const codeOf = ({ lines }: LoweredLoop): Block => ({
  type: 'code',
  lines: ownerLines(lines, ({ operator, task }) => (operator === undefined ? task : `${operator}: ${task}`)),
});
