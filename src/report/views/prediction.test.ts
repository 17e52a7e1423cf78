import { describe, expect, it } from 'vitest';
import { bytesPerSecond, cores, ns } from '../../model/units.ts';
import { outlook } from '../../prediction/cost/outlook.ts';
import type { WhatIf } from '../../prediction/cost/resources.ts';
import { recorded } from '../../tuning/recorded.fixture.ts';
import type { Prediction } from '../results/prediction.ts';
import { predictionReport } from './prediction.ts';

const analysis = recorded([
  { id: 'range', kind: 'range', ms: 0.01 },
  { id: 'work', ms: 2 },
]);

function prediction(given: typeof analysis, whatIf: WhatIf = {}): Prediction {
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
    whatIf,
    asRecorded: outlook(given).ceiling,
    ...outlook(given, whatIf),
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

  it('advises no lanes that are forecast to bring nothing', () => {
    const its = prediction(analysis);
    expect(its.arranged).toBe('lanes');
    expect(predictionReport(its)[0]).toMatchObject({ fix: expect.stringMatching(/^Lanes needed: work \d/) });
    const [verdict, expected] = predictionReport({ ...its, arranged: 'as-recorded' });
    expect(verdict).toMatchObject({ fix: undefined });
    expect(expected).toMatchObject({
      text: expect.stringMatching(
        /^Forecast with the lanes it has: .*; those below are not expected to make it faster\.$/,
      ),
    });
    const [, plan] = predictionReport({ ...its, arranged: 'asked' });
    expect(plan).toMatchObject({ text: expect.stringMatching(/^Forecast of the plan: /) });
  });

  it('says how much slower it is where resources are few, and what that rests on', () => {
    const verdict = (step: number) => predictionReport(prediction(analysis, { step: ns(step) }))[0];
    expect(verdict(20e6)).toMatchObject({ text: expect.stringMatching(/, 0\.1 times the recorded/) });
    expect(verdict(75e6)).toMatchObject({ text: expect.stringMatching(/, 0\.027 times the recorded/) });
    expect(verdict(3600e9)).toMatchObject({ text: expect.stringMatching(/, less than 0\.01 times the recorded/) });
    const received = { ...analysis, rates: { ...analysis.rates, networkIn: bytesPerSecond(1e6) } };
    const network = predictionReport(prediction(received, { network: bytesPerSecond(1000) }));
    expect(JSON.stringify(network)).toContain('all that the machine received from the network was for this pipeline');
    expect(JSON.stringify(predictionReport(prediction(received)))).not.toContain('received from the network');
  });

  it('says of which unit a gain holds for how many', () => {
    expect(JSON.stringify(predictionReport(prediction(analysis)))).toMatch(
      /one more core: \S+( k)?\/s more, up to \S+( k)? more cores/,
    );
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
