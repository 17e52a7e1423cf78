import { describe, expect, it } from 'vitest';
import { cores } from '../../model/units.ts';
import { outlook } from '../../prediction/cost/outlook.ts';
import { recorded } from '../../tuning/recorded.fixture.ts';
import type { Prediction } from '../results/prediction.ts';
import { predictionReport } from './prediction.ts';

const analysis = recorded([
  { id: 'range', kind: 'range', ms: 0.01 },
  { id: 'work', ms: 2 },
]);

function prediction(given: typeof analysis): Prediction {
  const { host, graph, rates } = given;
  return {
    schemaVersion: 1,
    name: 'first',
    folder: 'first.venturi',
    seconds: 20,
    measured: rates.rate,
    ends: rates.ends,
    host,
    cpu: rates.cpu,
    graph,
    whatIf: {},
    asRecorded: outlook(given).ceiling,
    planned: false,
    ...outlook(given),
    problems: [],
  };
}

const first = (given: typeof analysis) => predictionReport(prediction(given))[0];

describe('a prediction', () => {
  it('says what to expect below the ceiling, or what would settle that', () => {
    const [, expected] = predictionReport(prediction(analysis));
    expect(expected).toMatchObject({ text: expect.stringMatching(/^Forecast with these lanes: \S+ k\/s/) });
    const { pipelineCosts: _, ...host } = analysis.host;
    const [, untold] = predictionReport(prediction({ ...analysis, host }));
    expect(untold).toMatchObject({
      text: expect.stringMatching(/^No forecast below this ceiling: nobody measured .*venturi doctor --costs/),
    });
  });

  it('says first that it is for the cores that other programs leave', () => {
    expect(first(analysis)).toMatchObject({
      text: expect.stringMatching(/^With as many lanes as it needs this pipeline/),
    });
    const { rates } = analysis;
    const busy = { ...analysis, rates: { ...rates, cpu: { ...rates.cpu, left: cores(1.5) } } };
    expect(first(busy)).toMatchObject({
      text: expect.stringMatching(
        /^On the 1\.5 of 4 cores that other programs leave this pipeline delivers at most 7\d\d\/s/,
      ),
    });
  });

  it('with too wide an interval is none: what would help is said instead', () => {
    const { rates } = analysis;
    const { estimate } = rates.totalDemand;
    const totalDemand = { ...rates.totalDemand, low: estimate / 2, high: 2 * estimate };
    const uneven = { ...analysis, rates: { ...rates, totalDemand } };
    expect(first(uneven)).toMatchObject({
      text: expect.stringMatching(
        / has no ceiling: the recording allows from .* to .*, too wide an interval; 49\d\/s was recorded/,
      ),
      fix: expect.stringContaining('Record longer'),
    });
    const json = JSON.parse(JSON.stringify(prediction(uneven)));
    expect(json.ceiling).toMatchObject({ rate: { estimate: null }, lanes: [], caches: [], prices: [] });
    expect(JSON.stringify(predictionReport(prediction(uneven)))).not.toContain('NaN');
  });
});
