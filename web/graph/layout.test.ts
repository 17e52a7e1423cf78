import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { PipelineDiagnosis } from '../../src/report/results/diagnosis.ts';
import type { RunInfo } from '../../src/report/results/run-info.ts';
import { BOX, placed } from './layout.ts';
import { MOST_BOXES, stageGraph } from './stage-graph.ts';

const golden = (file: string): unknown =>
  JSON.parse(readFileSync(new URL(`../../test/golden/outputs/${file}.json`, import.meta.url), 'utf8'));
const diagnosis = golden('diagnose-pipeline-joined') as PipelineDiagnosis;
const info = golden('info-pipeline-joined') as RunInfo;
const graph = stageGraph(diagnosis, info) ?? { boxes: [], lines: [] };

describe('the drawn graph', () => {
  test('has every operator of the diagnosis once, with its figures', () => {
    const drawn = graph.boxes.flatMap(({ operators }) => operators);
    expect(drawn.map(({ id }) => id).sort()).toEqual(diagnosis.graph.operators.map(({ id }) => id).sort());
    for (const { id, cpuShare } of drawn) expect(cpuShare).toBe(diagnosis.rows.find(row => row.id === id)?.cpuShare);
    for (const { id, states } of graph.boxes) {
      if (id !== 'consumer') expect(states).toEqual(diagnosis.stages.find(stage => stage.id === id)?.states);
    }
  });

  test('colours the cause alone: operators of a verdict that limits', () => {
    const verdict = { ...diagnosis.verdict, limits: true, operators: ['augment'] } as PipelineDiagnosis['verdict'];
    const caused = stageGraph({ ...diagnosis, verdict }, info)?.boxes.filter(({ isCause }) => isCause);
    expect(caused?.flatMap(({ operators }) => operators.filter(({ isCause }) => isCause).map(({ id }) => id))).toEqual([
      'augment',
    ]);
  });

  test('has each recorded channel as a line with its queue', () => {
    const queues = graph.lines.flatMap(({ queue }) => (queue === undefined ? [] : [queue.mean]));
    expect(queues.sort()).toEqual(info.channels.map(({ meanOccupancy }) => meanOccupancy).sort());
  });

  test.each([10_000, 500])('places boxes apart from each other in %d px', room => {
    const { boxes, lines, width, height } = placed(graph, room);
    for (const [at, one] of boxes.entries()) {
      expect(one.x >= 0 && one.y >= 0 && one.x + one.width <= width && one.y + one.height <= height).toBe(true);
      for (const other of boxes.slice(at + 1)) {
        const apart =
          one.x + one.width <= other.x ||
          other.x + other.width <= one.x ||
          one.y + one.height <= other.y ||
          other.y + other.height <= one.y;
        expect(apart, `${one.id} and ${other.id}`).toBe(true);
      }
    }
    for (const { points } of lines) expect(points.length).toBeGreaterThanOrEqual(2);
  });

  test('goes from left to right where branches side by side would be wider', () => {
    const [box] = graph.boxes;
    if (box === undefined) throw new Error('the golden graph has no box');
    const ids = Array.from({ length: 14 }, (_, at) => `branch ${at}`);
    const wide = {
      boxes: [...ids, 'zip'].map(id => ({ ...box, id })),
      lines: ids.map(from => ({ from, to: 'zip', rate: 1, weight: 1, queue: undefined })),
    };
    expect(placed(wide, 350).width).toBeLessThan(3 * BOX.width);
  });

  test('is not drawn where nobody could read it', () => {
    const [operator] = diagnosis.graph.operators;
    const operators = Array.from({ length: MOST_BOXES + 1 }, (_, at) => ({ ...operator, id: `o${at}`, inputs: [] }));
    const large = { ...diagnosis, graph: { ...diagnosis.graph, operators } } as PipelineDiagnosis;
    expect(stageGraph(large, info)).toBeUndefined();
  });
});
