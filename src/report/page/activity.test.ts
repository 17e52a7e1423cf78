import { describe, expect, test } from 'vitest';
import { GaugeFold } from '../../analysis/gauges.ts';
import { foldRecords } from '../../store/fold.ts';
import { openRun } from '../../store/run-reader.ts';
import { analyseRun } from '../../workflow/targets/engine/analyse.ts';
import { labelsOf } from '../labels.ts';
import { type ActivityData, activityOf } from './activity.ts';

const path = new URL('../../../test/golden/recordings/pipeline-joined.venturi', import.meta.url).pathname;
const { analysis } = await analyseRun(path);
const gauges = new GaugeFold();
await foldRecords(openRun(path).records(), [gauges]);
const activity: ActivityData = activityOf(analysis, gauges);
const chart = (id: string) => activity.charts.find(each => each.id === id);
const label = labelsOf(analysis.graph.operators);
const lastBin = analysis.timeline.end / 1e9 - (activity.bins - 1) * activity.binSeconds;
const integral = (values: readonly (number | null)[] = []): number =>
  values.reduce<number>(
    (sum, value, at) => sum + (value ?? 0) * (at === activity.bins - 1 ? lastBin : activity.binSeconds),
    0,
  );

describe('a run over time', () => {
  test('adds up to what the run did: elements at its ends, CPU of its lanes and the process', () => {
    const { rows } = analysis;
    const elements = chart('throughput')?.curves.reduce((sum, { values }) => sum + integral(values), 0);
    expect(elements).toBeCloseTo(rows.totals.elements, 3);
    for (const { label, values } of chart('lanes')?.curves ?? []) {
      const lane = rows.lanes.find(({ name }) => name === label);
      expect(integral(values)).toBeCloseTo((lane?.running ?? Number.NaN) / 1e9, 3);
    }
    const [process] = chart('cores')?.curves ?? [];
    expect(integral(process?.values)).toBeCloseTo((rows.totals.processCpu ?? Number.NaN) / 1e9, 3);
  });

  test('has every lane and channel, and memory up to the peak that was recorded', () => {
    expect(chart('lanes')?.curves).toHaveLength(analysis.rows.lanes.length);
    expect(chart('queues')?.curves.map(({ label }) => label)).toEqual(
      analysis.graph.channels.map(({ from, to }) => `${label(from)} → ${label(to)}`),
    );
    const resident = chart('memory')?.curves[0]?.values.filter(value => value !== null) ?? [];
    expect(resident.length).toBeGreaterThan(0);
    expect(Math.max(...resident)).toBeLessThanOrEqual(analysis.rows.totals.peakResident ?? 0);
  });
});
