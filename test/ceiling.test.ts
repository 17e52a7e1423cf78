import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { runVirtually } from '../bench/virtual/pipeline.mjs';
import { Random } from '../src/math/random.ts';
import { median } from '../src/math/statistics.ts';
import { METRICS } from '../src/model/metric.ts';
import { outlook } from '../src/prediction/cost/outlook.ts';
import { Line, VirtualClock } from '../src/simulation/index.ts';
import { createRun, openLane } from '../src/store/index.ts';
import { analyseRun } from '../src/workflow/targets/engine/analyse.ts';
import { rounds } from './fixtures/depth.ts';

const folder = mkdtempSync(join(tmpdir(), 'venturi-ceiling-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface VirtualStage {
  readonly id: string;
  readonly lanes: number;
  readonly operators: readonly Readonly<Record<string, unknown>>[];
}

/** A chain of two to five stages on two to eight cores, some of them sequential, one asleep at times; every element takes another time. */
function drawn(seed: number) {
  const random = new Random();
  random.rekey(seed, 0, 0, 0, 0);
  const between = (low: number, high: number): number => low * (high / low) ** random.uniform();
  const stages: VirtualStage[] = [
    { id: 'source', lanes: 1, operators: [{ id: 'source', kind: 'range', sequential: true, cpu: 1e-4 }] },
  ];
  for (let at = 0, count = 1 + Math.floor(random.uniform() * 4); at < count; at++) {
    const sequential = random.uniform() < 0.25;
    const mean = between(2e-3, sequential ? 8e-3 : 4e-2);
    const sleep = !sequential && random.uniform() < 0.2 ? mean : undefined;
    stages.push({
      id: `map${at}`,
      lanes: 1,
      ...(sleep === undefined ? {} : { sleep }),
      ...{ inputs: [stages.at(-1)?.id], overhead: 1e-4 },
      operators: [
        {
          id: `map${at}`,
          sequential,
          cpu: (draws: { uniform(): number }) => mean * (0.5 - 0.5 * Math.log(1 - draws.uniform())),
          bytes: 1e4,
        },
      ],
    });
  }
  return { seed, cores: 2 + Math.floor(random.uniform() * 7), stages, consumer: { step: between(1e-4, 1e-2) } };
}

const run = (name: string, description: Readonly<Record<string, unknown>>) =>
  analyseRun(
    runVirtually(join(folder, name), description, { VirtualClock, Line, createRun, openLane, METRICS }).folder,
  );

/** Lanes of the ceiling, one less and one more, and as many as there are cores. */
const WAYS = [0, -1, 1, 'cores'] as const;

it('no arrangement exceeds the ceiling beyond its interval, and the best of them comes near it', async () => {
  const over: string[] = [];
  const ratios: number[] = [];
  for (let seed = 1; seed <= rounds(6, 50); seed++) {
    const naive = drawn(seed);
    const { analysis } = await run(`${seed}-naive`, { ...naive, seconds: 20, sampleSeconds: 0.1 });
    const { ceiling } = outlook(analysis);
    const wanted = new Map(ceiling.lanes.map(({ stage, wanted: lanes }) => [stage, lanes]));
    let best = 0;
    for (const way of WAYS) {
      const stages = naive.stages.map(stage => {
        const isSequential = stage.operators.some(({ sequential }) => sequential === true);
        const its = wanted.get(stage.id) ?? 1;
        const lanes = isSequential ? 1 : Math.max(1, way === 'cores' ? naive.cores : its + way);
        return { ...stage, lanes, slots: 4 * lanes + 4 };
      });
      const { rates } = (await run(`${seed}-${way}`, { ...naive, stages, seed: seed + 5000, seconds: 20 })).analysis;
      best = Math.max(best, rates.rate.estimate);
      if (rates.rate.low > ceiling.rate.high) over.push(`${seed} ${way}: ${rates.rate.low} > ${ceiling.rate.high}`);
    }
    expect(ceiling.rate.estimate).toBeLessThan(Number.POSITIVE_INFINITY);
    ratios.push(ceiling.rate.estimate / best);
  }
  expect(over).toEqual([]);
  expect(median(ratios)).toBeLessThanOrEqual(1.3);
});
