/**
 * The ceiling against what comes true, in virtual time: a pipeline with one lane per stage is recorded, it is given the lanes that the ceiling
 * asks for, and run again with other random numbers.
 */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { predict } from 'venturi';
import { spread } from '../harness.mjs';
import { recordVirtually } from '../virtual/packed.mjs';
import { logNormal, randomOf } from '../virtual/random.mjs';

const PIPELINES = 200;
const FIRST_SEED = 10_001;

export async function belowCeiling(report, folder) {
  let below = 0;
  const ratios = [];
  const widths = [];
  for (let seed = FIRST_SEED; seed < FIRST_SEED + PIPELINES; seed++) {
    const naive = drawn(seed);
    const path = join(folder, 'band.venturi');
    recordVirtually(path, naive);
    const { ceiling } = await predict(path);
    rmSync(path, { recursive: true });
    const lanes = new Map(ceiling.lanes.map(({ stage, wanted }) => [stage, wanted]));
    const stages = naive.stages.map(stage => {
      const count = lanes.get(stage.id) ?? 1;
      return { ...stage, lanes: count, slots: 4 * count + 4 };
    });
    recordVirtually(path, { ...naive, stages, seed: seed + 5000, seconds: 60 });
    const { measured } = await predict(path);
    rmSync(path, { recursive: true });
    const { estimate, low, high } = ceiling.rate;
    if (measured.low <= high) below++;
    ratios.push(measured.estimate / estimate);
    widths.push((high - low) / estimate);
  }
  report({
    case: 'virtual/below-ceiling',
    value: below / PIPELINES,
    unit: 'share',
    width: widths.reduce((sum, width) => sum + width, 0) / PIPELINES,
    pipelines: PIPELINES,
    runs: 'virtual time',
    goal: '1',
  });
  report({
    case: 'virtual/measured-over-ceiling',
    ...spread(ratios),
    unit: 'of ceiling',
    runs: 'virtual time',
  });
}

function drawn(seed) {
  const random = randomOf(seed);
  const rate = random.logBetween(20, 60);
  const spread = random.between(0.2, 0.8);
  const stages = [
    { id: 'source', lanes: 1, operators: [{ id: 'source', kind: 'range', sequential: true, cpu: 1e-4 }] },
  ];
  for (let at = 0; at < 2 + Math.floor(random.uniform() * 3); at++) {
    const isSequential = random.uniform() < 0.25;
    const seconds = random.logBetween(0.1, isSequential ? 0.4 : 2) / rate;
    stages.push({
      id: `map${at}`,
      lanes: 1,
      inputs: [stages.at(-1).id],
      overhead: 1e-4,
      operators: [{ id: `map${at}`, sequential: isSequential, cpu: logNormal(seconds, spread), bytes: 1e4 }],
    });
  }
  return {
    seed,
    cores: random.pick([2, 3, 4, 6, 8]),
    seconds: 20,
    sampleSeconds: 0.1,
    stages,
    consumer: { step: logNormal(random.logBetween(0.02, 0.6) / rate, 0.2), asleep: true },
  };
}
