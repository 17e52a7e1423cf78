import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { PipelineTuneResult } from '../../src/report/results/tuning.ts';
import { planGraph } from './plan-graph.ts';

const tuned = JSON.parse(
  readFileSync(new URL('../../test/golden/recordings/tuned-pipeline.json', import.meta.url), 'utf8'),
) as PipelineTuneResult;
const { before } = tuned;

test.each([...tuned.tried.entries()])('plan %d has every operator and every change, before and after', (_, tried) => {
  const drawn = {
    before: planGraph(before, tried, 'before', tried.graph),
    after: planGraph(tried, tried, 'after', before.graph),
  };
  for (const [side, graph] of [
    ['before', before.graph],
    ['after', tried.graph],
  ] as const) {
    const operators = drawn[side]?.boxes.flatMap(box => box.operators) ?? [];
    expect(operators.map(({ id }) => id).sort()).toEqual(graph.operators.map(({ id }) => id).sort());
  }
  const notes = (side: 'before' | 'after'): string[] =>
    drawn[side]?.boxes.flatMap(box => box.notes?.map(({ text }) => text) ?? []) ?? [];
  const parallelism = tried.changes.flatMap(({ action }) => (action.kind === 'parallelism' ? [action] : []));
  expect(notes('before').sort()).toEqual(
    parallelism.flatMap(({ from }) => (from === undefined ? [] : [`− parallelism ${from}`])).sort(),
  );
  expect(notes('after').sort()).toEqual(
    parallelism.flatMap(({ to }) => (to === undefined ? [] : [`+ parallelism ${to}`])).sort(),
  );
  const isNew = drawn.after?.boxes.flatMap(box => box.operators.filter(each => each.isNew).map(({ id }) => id));
  expect(isNew).toEqual(['epochs']);
});

test('lanes are those of the stages', () => {
  const boxes = planGraph(before, { changes: [] }, 'before', before.graph)?.boxes ?? [];
  for (const { id, parallelism } of before.graph.stages) {
    expect(boxes.find(box => box.id === id)?.title).toBe(parallelism === 1 ? '1 lane' : `${parallelism} lanes`);
  }
});
