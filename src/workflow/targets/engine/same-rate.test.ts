import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, expect, it, vi } from 'vitest';
import { rounds } from '../../../../test/fixtures/depth.ts';
import { HOST } from '../../../analysis/records.fixture.ts';
import { pipeline } from '../../../engine/api/define.ts';
import { describePipeline } from '../../../engine/api/planned.ts';
import { engineRules } from '../../../engine/compile/fusing.ts';
import { cores } from '../../../model/units.ts';
import { arrange } from '../../../prediction/cost/arrangement.ts';
import { ceilingConstraints } from '../../../prediction/cost/ceiling.ts';
import { MEASURED_HOST } from '../../../prediction/cost/costs.fixture.ts';
import { forecast } from '../../../prediction/cost/forecast.ts';
import type { CostModel } from '../../../prediction/cost/model.ts';
import { costModelOf } from '../../../prediction/cost/recording.ts';
import { type AnalysedRun, analyseRun } from './analyse.ts';
import { build, type DrawnPipeline, drawnPipelines } from './drawn-pipeline.fixture.ts';
import { writeRecording } from './drawn-recording.fixture.ts';
import { predict } from './predict.ts';
import type { TrialRequest } from './tune/trial.ts';
import { tuneDefinition } from './tune.ts';

const folder = mkdtempSync(join(tmpdir(), 'venturi-same-rate-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** What every trial of the tuner shows. */
let shown: AnalysedRun | undefined;

vi.mock('../../costs.ts', () => ({ ensureCosts: async () => undefined }));
vi.mock('./tune/trial.ts', async original => ({
  ...(await original<object>()),
  tryOut: async (_: unknown, { seconds }: TrialRequest) => ({ ...shown, completed: false, flowed: seconds }),
}));

const definition = pipeline(import.meta, { drawn: String }, ({ drawn }) => build(JSON.parse(drawn) as DrawnPipeline));

const step = { from: 0, other: 0, parallelism: undefined };
const MAPS = [
  { ...step, kind: 'map' as const },
  { ...step, kind: 'batch' as const },
];

interface DrawnRun {
  readonly drawn: DrawnPipeline;
  readonly seed: number;
  readonly isFilled: boolean;
  readonly coresUsable: number;
  /** What handing on costs there is known. */
  readonly isMeasured: boolean;
}

const drawnRuns: fc.Arbitrary<DrawnRun> = fc.record({
  drawn: drawnPipelines,
  seed: fc.nat(),
  isFilled: fc.boolean(),
  coresUsable: fc.constantFrom(1, 2, 4, 16),
  isMeasured: fc.constantFrom(true, true, true, false),
});

/** A pipeline whose elements are worth keeping: random ones may have none. */
const KEPT: DrawnRun = {
  drawn: { steps: MAPS, ends: 'consumed', passes: 10 },
  seed: 1,
  isFilled: false,
  coresUsable: 2,
  isMeasured: true,
};

/** The same, and another branch of it ends in a sink. */
const SUNK: DrawnRun = {
  ...KEPT,
  drawn: { ...KEPT.drawn, steps: [...MAPS, { ...step, from: 1, kind: 'map' }], ends: 'both' },
};

/** Two branches of one source that join again. */
const JOINED: DrawnRun = {
  ...KEPT,
  drawn: { ...KEPT.drawn, steps: [...MAPS, { ...step, from: 2, kind: 'map' }, { ...step, other: 1, kind: 'merge' }] },
};

let count = 0;

/** Its parameters, operators and recording. */
function recorded({ drawn, seed, isFilled, coresUsable, isMeasured }: DrawnRun) {
  const params = { drawn: JSON.stringify(drawn) };
  const { operators } = describePipeline(definition, params);
  const host = { ...(isMeasured ? MEASURED_HOST : HOST), coresUsable, coresPresent: coresUsable };
  return { params, operators, path: writeRecording(join(folder, `${++count}`), operators, host, { seed, isFilled }) };
}

it('predict and tune tell the same rate of the same arrangement, on any graph', async () => {
  const seen = { told: 0, joins: 0, branches: 0, sinks: 0, caches: 0 };
  await fc.assert(
    fc.asyncProperty(drawnRuns, async run => {
      const { params, operators, path } = recorded(run);
      shown = await analyseRun(path);
      const { tried } = await tuneDefinition(definition, 'pipeline.ts', { params, rounds: 1 });
      for (const { changes, predicted } of tried) {
        const { forecast: told } = await predict(path, { plan: { changes: [...changes] } });
        expect(predicted).toEqual(told.doubts.length > 0 ? undefined : told.rate);
        // What the plan's last change comes to is what the plan comes to.
        expect(changes.at(-1)?.forecast).toEqual(predicted);
        if (predicted === undefined) continue;
        const read = operators.flatMap(({ inputs }) => inputs);
        seen.told++;
        if (operators.some(({ inputs }) => inputs.length > 1)) seen.joins++;
        if (new Set(read).size < read.length) seen.branches++;
        if (operators.some(({ sink }) => sink === true)) seen.sinks++;
        if (changes.some(({ action }) => action.kind === 'cache')) seen.caches++;
      }
      rmSync(path, { recursive: true });
    }),
    { numRuns: rounds(8, 30), examples: [[KEPT], [SUNK], [JOINED]] },
  );
  expect(Object.entries(seen).filter(([, runs]) => runs === 0)).toEqual([]);
});

it('a cost model survives JSON to the last digit, on any graph', async () => {
  let told = 0;
  await fc.assert(
    fc.asyncProperty(drawnRuns, async run => {
      const { path } = recorded(run);
      const { analysis } = await analyseRun(path);
      const model = costModelOf(analysis, { cores: cores(2 * run.coresUsable) });
      const again: CostModel = JSON.parse(JSON.stringify(model));
      const actions = model.operators
        .filter(({ sequential }) => !sequential)
        .map(({ id }, at) => ({ kind: 'parallelism' as const, operator: id, to: 1 + (at % 3) }));
      const of = (its: CostModel) => forecast(its, arrange(its, actions, { rules: engineRules() }));
      expect(of(again)).toEqual(of(model));
      expect(ceilingConstraints(again)).toEqual(ceilingConstraints(model));
      if (Number.isFinite(of(model).rate.estimate)) told++;
      rmSync(path, { recursive: true });
    }),
    { numRuns: rounds(20, 100) },
  );
  expect(told).toBeGreaterThan(0);
});
