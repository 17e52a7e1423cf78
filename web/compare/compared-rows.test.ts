import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { PipelineComparison } from '../../src/report/results/comparison.ts';
import type { LoaderSeries } from '../../src/report/results/loader-series.ts';
import type { TuneProgramResult } from '../../src/report/results/program-tuning.ts';
import type { StepsComparison } from '../../src/report/results/steps.ts';
import {
  type ComparedRow,
  changeOf,
  comparedPipelines,
  comparedPrograms,
  comparedSteps,
  comparedTrials,
} from './compared-rows.ts';

const golden = <T>(name: string): T =>
  JSON.parse(readFileSync(new URL(`../../test/golden/outputs/${name}.json`, import.meta.url), 'utf8')) as T;

describe('rows of a comparison', () => {
  test('of pipelines have the figures of the verb, by run', () => {
    const data = golden<PipelineComparison>('compare-pipelines');
    const [rates, cpu] = comparedPipelines(data);
    expect(rates?.rows[0]?.values).toEqual(data.runs.map(run => run.rate));
    for (const { operators, values, ratio } of cpu?.rows ?? []) {
      const its = data.operators.find(({ id }) => id === operators[0]);
      expect(values).toEqual(its?.cpuPerElement);
      expect(ratio).toBe(its?.withinNoise === true ? undefined : its?.ratio?.estimate);
    }
  });

  test('of programs and of steps have a value for each run', () => {
    const programs = golden<LoaderSeries>('compare-programs');
    const steps = golden<StepsComparison>('compare-steps');
    const groups = [...comparedPrograms(programs), ...comparedSteps(steps)];
    expect(groups.flatMap(({ rows }) => rows).length).toBeGreaterThan(5);
    for (const { rows } of comparedPrograms(programs))
      for (const { values } of rows) expect(values).toHaveLength(programs.runs.length);
    expect(comparedSteps(steps)[0]?.rows[0]?.values.map(value => value?.estimate)).toEqual(
      steps.runs.map(({ summary }) => summary.time.mean),
    );
  });

  test('of a tuned loader have what was measured and forecast for each setting', () => {
    const file = new URL('../../test/golden/recordings/tuned-program.json', import.meta.url);
    const tuned = JSON.parse(readFileSync(file, 'utf8')) as TuneProgramResult;
    const [measured, forecast] = comparedTrials(tuned).rows;
    expect(measured?.values).toEqual([tuned.before, ...tuned.trials.map(trial => trial.measured)]);
    expect(measured?.ratio).toBe(tuned.trials.at(-1)?.gain.estimate);
    expect(forecast?.values).toHaveLength(measured?.values.length ?? Number.NaN);
  });

  test('say whether a change is for the better', () => {
    const one = { estimate: 1, low: 1, high: 1 };
    const row = (ratio: number | undefined, values: ComparedRow['values'] = [one, one]): ComparedRow => ({
      ...{ label: '', operators: [], values, ratio },
    });
    expect(changeOf(row(1.5), 'high')).toEqual({ text: '50 % more', tone: 'good' });
    expect(changeOf(row(1.5), 'low')).toEqual({ text: '50 % more', tone: 'bad' });
    expect(changeOf(row(0.5), 'low')).toEqual({ text: '50 % less', tone: 'good' });
    expect(changeOf(row(undefined), 'low').text).toBe('noise');
    expect(changeOf(row(undefined, [one, undefined]), 'low').text).toBe('');
  });
});
