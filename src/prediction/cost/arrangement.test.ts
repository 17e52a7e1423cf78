import fc from 'fast-check';
import { expect, test } from 'vitest';
import { engineRules } from '../../engine/compile/fusing.ts';
import { placeNodes } from '../../engine/compile/graph.ts';
import { rewrite } from '../../engine/compile/rewrite.ts';
import { planExecution } from '../../engine/compile/stages.ts';
import type { Pipeline } from '../../engine/description/pipeline.ts';
import { range } from '../../engine/sources/range.ts';
import { whyNotKept } from '../../graph/soundness.ts';
import { VenturiError } from '../../model/errors.ts';
import type { Action } from '../../model/plan.ts';
import { arrange, costTopology, NO_DEMANDS } from './arrangement.ts';
import { modelWith } from './costs.fixture.ts';

const STEPS = {
  map: (p: Pipeline<unknown>, parallelism?: number) => p.map(x => x, threads(parallelism)),
  told: (p: Pipeline<unknown>, parallelism?: number) => p.map((x, { index }) => [x, index], threads(parallelism)),
  filter: (p: Pipeline<unknown>, parallelism?: number) => p.filter(() => true, threads(parallelism)),
  batch: (p: Pipeline<unknown>, parallelism?: number) => p.batch(2, parallelism === 1 ? { parallelism } : {}),
  shuffle: (p: Pipeline<unknown>) => p.shuffle(3),
  repeat: (p: Pipeline<unknown>) => p.repeat(2),
  prefetch: (p: Pipeline<unknown>) => p.prefetch(4),
  take: (p: Pipeline<unknown>) => p.take(4),
  cache: (p: Pipeline<unknown>) => p.cache(),
} as const;

const threads = (parallelism: number | undefined) => (parallelism === undefined ? {} : { parallelism });

const chains = fc.array(
  fc.record({
    step: fc.constantFrom(...(Object.keys(STEPS) as (keyof typeof STEPS)[])),
    parallelism: fc.constantFrom(undefined, undefined, 1, 2, 3),
  }),
  { maxLength: 7 },
);

const actions = fc.array(
  fc.record({
    at: fc.nat(10),
    kind: fc.constantFrom('parallelism', 'prefetch', 'cache', 'remove'),
    to: fc.constantFrom(undefined, 1, 2, 3),
  }),
  { maxLength: 4 },
);

const RULES = engineRules();

test('what the tuner makes of a graph runs in the stages that the engine makes of the pipeline', () => {
  let caches = 0;
  fc.assert(
    fc.property(chains, actions, (steps, wishes) => {
      const pipeline = steps.reduce<Pipeline<unknown>>(
        (p, { step, parallelism }) => STEPS[step](p, parallelism),
        range(9),
      );
      const nodes = placeNodes(pipeline.node);
      const model = modelWith(nodes.map(({ operator }) => ({ ...operator, ...NO_DEMANDS })));
      const taken: Action[] = [];
      for (const { at, kind, to } of wishes) {
        const operator = nodes[at % nodes.length]?.id ?? '';
        if (taken.some(each => each.operator === operator)) continue;
        const action: Action =
          kind === 'parallelism'
            ? { kind, operator, ...(to === undefined ? {} : { to }) }
            : kind === 'prefetch'
              ? { kind, operator, elements: 5 }
              : kind === 'cache'
                ? { kind, operator, limit: 5 }
                : { kind: 'remove', operator };
        const refused = refusal(() => rewrite(nodes, { shape: undefined, actions: [...taken, action] }));
        // What is sound by the graph that is recorded, the engine takes.
        const topology = costTopology(model.operators);
        const kept = topology.at(operator);
        if (action.kind === 'cache' && taken.length === 0 && kept !== undefined) {
          expect(refused === undefined).toBe(whyNotKept(topology, kept) === undefined);
        }
        if (refused !== undefined) continue;
        if (action.kind === 'cache') caches++;
        taken.push(action);
      }
      const planned = planExecution(rewrite(nodes, { shape: undefined, actions: taken }), {
        inline: false,
        memory: 1e9,
        slots: undefined,
      });
      const { stages } = arrange(model, taken, { rules: RULES });
      expect(stages.map(stage => [stage.lanes, stage.operators.map(({ id }) => id)])).toEqual(
        planned.graph.stages.map(stage => [stage.parallelism, stage.operators]),
      );
    }),
    { numRuns: 1000 },
  );
  expect(caches).toBeGreaterThan(50);
});

function refusal(work: () => unknown): VenturiError | undefined {
  try {
    work();
    return undefined;
  } catch (error) {
    if (error instanceof VenturiError) return error;
    throw error;
  }
}
