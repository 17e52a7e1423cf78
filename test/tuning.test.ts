import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { runVirtually } from '../bench/virtual/pipeline.mjs';
import { engineRules } from '../src/engine/compile/fusing.ts';
import { Random } from '../src/math/random.ts';
import { METRICS } from '../src/model/metric.ts';
import { Line, VirtualClock } from '../src/simulation/index.ts';
import { createRun, openLane } from '../src/store/index.ts';
import { planFor, type TunedPlan } from '../src/tuning/plan.ts';
import { waitsOf } from '../src/tuning/waits.ts';
import { analyseRun } from '../src/workflow/targets/engine/analyse.ts';

const folder = mkdtempSync(join(tmpdir(), 'venturi-tuning-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface VirtualOperator {
  readonly id: string;
  readonly kind: string;
  readonly sequential: boolean;
  readonly cpu: (random: { uniform(): number }) => number;
}

interface VirtualStage {
  readonly lanes: number;
  readonly operators: readonly string[];
}

/** A chain of a source, up to five operators with costs from 0.1 to 20 ms that vary, and a window at its end. */
function chainOf(seed: number): VirtualOperator[] {
  const random = new Random();
  random.rekey(seed, 0, 0, 0, 0);
  const count = 2 + Math.floor(random.uniform() * 4);
  const made = (id: string, kind: string, sequential: boolean, mean: number): VirtualOperator => ({
    id,
    kind,
    sequential,
    // Half of it is the same for every element, half varies as waiting times do.
    cpu: draws => mean * (0.5 - 0.5 * Math.log(1 - draws.uniform())),
  });
  return [
    made('source', 'range', true, 1e-4),
    ...Array.from({ length: count }, (_, at) => {
      const mean = 1e-4 * 200 ** random.uniform();
      return random.uniform() < 0.2
        ? made(`window${at}`, 'window', true, mean / 4)
        : made(`map${at}`, 'map', false, mean);
    }),
    made('last', 'window', true, 1e-4),
  ];
}

let runs = 0;

function run(chain: readonly VirtualOperator[], stages: readonly VirtualStage[], cores: number, seconds: number) {
  const byId = new Map(chain.map(operator => [operator.id, operator]));
  const idOf = ({ operators }: VirtualStage): string => operators.join('+');
  const described = stages.map((stage, at) => ({
    id: idOf(stage),
    lanes: stage.lanes,
    inputs: at === 0 ? [] : [idOf(stages[at - 1] ?? stage)],
    slots: 2 * stage.lanes + 2,
    operators: stage.operators.flatMap(id => byId.get(id) ?? []),
  }));
  return runVirtually(
    join(folder, `run-${runs++}`),
    { cores, seconds, stages: described, host: { coresUsable: cores }, consumer: { step: 1e-6 } },
    { VirtualClock, Line, createRun, openLane, METRICS },
  );
}

const shapeOf = ({ arrangement }: TunedPlan, known: ReadonlySet<string>): VirtualStage[] =>
  arrangement.stages
    .map(({ lanes, operators }) => ({ lanes, operators: operators.map(({ id }) => id).filter(id => known.has(id)) }))
    .filter(({ operators }) => operators.length > 0);

/** Every way to give the divisible runs of a chain lanes from 1 to `most`, each run and each operator in order on its own. */
function arrangements(chain: readonly VirtualOperator[], most: number): VirtualStage[][] {
  const groups: { operators: string[]; sequential: boolean }[] = [];
  for (const { id, sequential } of chain) {
    const before = groups.at(-1);
    if (before !== undefined && !sequential && !before.sequential) before.operators.push(id);
    else groups.push({ operators: [id], sequential });
  }
  return groups.reduce<VirtualStage[][]>(
    (sofar, { operators, sequential }) =>
      sofar.flatMap(stages =>
        Array.from({ length: sequential ? 1 : most }, (_, lanes) => [...stages, { lanes: lanes + 1, operators }]),
      ),
    [[]],
  );
}

describe('in virtual time', () => {
  const SEEDS = Array.from({ length: 10 }, (_, seed) => seed + 1);

  it.each([1, 2, 4, 16])('on %i cores a plan delivers what was forecast, and no arrangement much more', async cores => {
    for (const seed of SEEDS) {
      const chain = chainOf(seed);
      const known = new Set(chain.map(({ id }) => id));
      const naive = run(chain, [{ lanes: 1, operators: [...known] }], cores, 20);
      const { analysis } = await analyseRun(naive.folder);
      const tuned = planFor(analysis, { rules: engineRules(), cores, memory: 1e9, epochs: 1, now: () => 0 });
      const stages = shapeOf(tuned, known);
      const { rate } = run(chain, stages, cores, 10);
      const story = JSON.stringify({ seed, cores, stages, rate, predicted: tuned.predicted });
      expect(rate, story).toBeGreaterThan(0.85 * tuned.predicted.estimate);
      expect(rate, story).toBeLessThan(1.1 * tuned.predicted.high);
      const others = arrangements(chain, Math.min(cores, 4)).filter(
        (_, at, all) => at % Math.ceil(all.length / 8) === 0,
      );
      for (const other of others) {
        const reached = run(chain, other, cores, 5).rate;
        expect(rate, `${story} against ${JSON.stringify(other)}`).toBeGreaterThan(0.9 * reached);
      }
    }
  });

  it('stages that wait for each other by turns get a buffer that evens them out', async () => {
    const bursts = (random: { uniform(): number }): number => (random.uniform() < 0.005 ? 0.4 : 0.001);
    const stages = (slots: number) => [
      {
        id: 'read',
        lanes: 1,
        inputs: [],
        slots,
        operators: [{ id: 'read', kind: 'range', sequential: true, cpu: bursts }],
      },
      {
        id: 'work',
        lanes: 1,
        inputs: ['read'],
        operators: [{ id: 'work', kind: 'window', sequential: true, cpu: bursts }],
      },
    ];
    const virtually = (slots: number) =>
      runVirtually(
        join(folder, `bursts-${slots}`),
        { cores: 4, seconds: 120, stages: stages(slots), consumer: { step: 1e-6 } },
        { VirtualClock, Line, createRun, openLane, METRICS },
      );
    const before = virtually(4);
    const { analysis } = await analyseRun(before.folder);
    const [wait, ...others] = waitsOf(analysis);
    expect(others).toEqual([]);
    expect(wait).toMatchObject({ operator: 'read', slots: 64 });
    expect(virtually(wait?.slots ?? 0).rate / before.rate).toBeGreaterThan(1.05);
    // Where one is simply slower there is nothing to even out.
    const [first, second] = stages(4);
    const steady = { ...first, operators: [{ id: 'read', kind: 'range', sequential: true, cpu: 0.004 }] };
    const slower = runVirtually(
      join(folder, 'steady'),
      {
        cores: 4,
        seconds: 20,
        stages: [steady, { ...second, operators: [{ id: 'work', kind: 'window', sequential: true, cpu: 0.002 }] }],
        consumer: { step: 1e-6 },
      },
      { VirtualClock, Line, createRun, openLane, METRICS },
    );
    expect(waitsOf((await analyseRun(slower.folder)).analysis)).toEqual([]);
  });
});
