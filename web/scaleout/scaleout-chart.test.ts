import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { ClusterPrediction } from '../../src/report/results/cluster-prediction.ts';
import { scaleoutChart } from './scaleout-chart.ts';

const golden = (name: string): ClusterPrediction =>
  JSON.parse(readFileSync(new URL(`../../test/golden/outputs/${name}.json`, import.meta.url), 'utf8'));

test.each(['predict-steps-async', 'predict-steps-allreduce', 'predict-steps-fit'])(
  '%s has every point on its curve',
  name => {
    const data = golden(name);
    const { curves, mostWorkers, mostThroughput, alone } = scaleoutChart(data);
    const drawn = curves.flatMap(({ servers, points }) => points.map(point => ({ servers, ...point })));
    expect(drawn).toHaveLength(data.points.length);
    for (const { servers, workers, throughput, efficiency } of data.points) {
      const { estimate, low, high } = throughput;
      expect(drawn).toContainEqual({ servers, workers, estimate, low, high });
      expect(workers).toBeLessThanOrEqual(mostWorkers);
      expect(high).toBeLessThanOrEqual(mostThroughput);
      if (servers === data.points[0]?.servers) expect(estimate / (workers * (alone ?? 0))).toBeCloseTo(efficiency, 6);
    }
  },
);
