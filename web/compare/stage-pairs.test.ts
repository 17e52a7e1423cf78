import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { PipelineDiagnosis } from '../../src/report/results/diagnosis.ts';
import { stagesBeside } from './stage-pairs.ts';

const stagesOf = (name: string): PipelineDiagnosis['stages'] => {
  const file = new URL(`../../test/golden/outputs/diagnose-${name}.json`, import.meta.url);
  return (JSON.parse(readFileSync(file, 'utf8')) as PipelineDiagnosis).stages;
};

test('stages of a run stand beside those with the same operators, and none is lost', () => {
  const runs = [stagesOf('pipeline-joined'), stagesOf('pipeline-joined-0.1.0'), stagesOf('pipeline-written')];
  const beside = stagesBeside(runs);
  for (const [at, stages] of runs.entries()) {
    expect(beside.flatMap(({ each }) => each[at] ?? [])).toHaveLength(stages.length);
  }
  for (const { operators, each } of beside) {
    for (const stage of each) if (stage !== undefined) expect(stage.operators).toEqual(operators);
  }
});

test('the largest difference is told where two runs have a stage', () => {
  const [stage] = stagesOf('pipeline-joined');
  if (stage === undefined) throw new Error('no stage');
  const states = { running: 0.2, runnable: 0, blocked: 0, starved: 0.8, backpressured: 0 } as typeof stage.states;
  const other = { ...states, running: 0.9, starved: 0.05, blocked: 0.05 } as typeof stage.states;
  const [one] = stagesBeside([[{ ...stage, states }], [{ ...stage, states: other }]]);
  expect(one?.change).toEqual({ state: 'starved', from: 0.8, to: 0.05 });
  expect(stagesBeside([[stage], []])[0]?.change).toBeUndefined();
  expect(stagesBeside([[stage], [{ ...stage }]])[0]?.change).toBeUndefined();
});
