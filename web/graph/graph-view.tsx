import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import type { PipelineDiagnosis } from '../../src/report/results/diagnosis.ts';
import type { RunInfo } from '../../src/report/results/run-info.ts';
import { StateLegend } from '../state-bar.tsx';
import { GraphDrawing } from './graph-drawing.tsx';
import { stageGraph } from './stage-graph.ts';

/** The graph of stages: what each does with its time, and how full the queues between them are. */
export function GraphView({
  diagnosis,
  info,
}: {
  readonly diagnosis: PipelineDiagnosis;
  readonly info: RunInfo | undefined;
}): JSX.Element {
  const graph = useMemo(() => stageGraph(diagnosis, info), [diagnosis, info]);
  return (
    <>
      {graph === undefined ? (
        <p class="muted">
          {diagnosis.graph.operators.length} operators are too many for a drawing: the tables below have them.
        </p>
      ) : (
        <GraphDrawing graph={graph} title="Graph of stages, upstream first" />
      )}
      <StateLegend />
    </>
  );
}
