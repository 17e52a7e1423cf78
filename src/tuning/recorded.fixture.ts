import type { Analysis } from '../analysis/analysis.ts';
import { analyse, SECOND, type SteadyLane, states } from '../analysis/records.fixture.ts';
import { engineRules } from '../engine/compile/fusing.ts';
import type { Graph, Operator } from '../model/graph.ts';
import type { Host } from '../model/host.ts';
import { withTraits } from '../model/kind-traits.ts';
import { NOTHING } from '../prediction/cost/amount.ts';
import { NO_DEMANDS, staged } from '../prediction/cost/arrangement.ts';
import { MEASURED_HOST } from '../prediction/cost/costs.fixture.ts';
import { otherPlaces, otherPlans, type PlanOptions, planFor, type TunedPlan } from './plan.ts';

/** One operator of a recorded chain: what it costs in ms per element of its own, and how many leave it for one that comes. */
export interface Recorded {
  readonly id: string;
  readonly kind?: string;
  readonly ms: number;
  /** Asleep, ms. */
  readonly asleep?: number;
  /** What a call of its async function takes, ms, and the part of them that fails. */
  readonly call?: number;
  readonly failed?: number;
  readonly out?: number;
  readonly bytes?: number;
  readonly more?: Partial<Omit<Operator, 'kind'>>;
  /** What leaves it cannot go to another thread. */
  readonly stays?: boolean;
  /** Random numbers drawn per element. */
  readonly draws?: number;
}

export const ENGINE_RULES = engineRules();

const SEQUENTIAL = new Set(['range', 'lines', 'files', 'shuffle', 'batch', 'repeat', 'take', 'cache', 'window']);

export function operatorsOf(chain: readonly Recorded[]): Operator[] {
  return chain.map(({ id, kind = 'map', more }, at) =>
    withTraits({
      id,
      kind,
      label: id,
      inputs: at === 0 ? [] : [chain[at - 1]?.id ?? ''],
      settings: kind === 'range' ? { count: 10_000 } : {},
      sequential: SEQUENTIAL.has(kind),
      ...more,
    }),
  );
}

const SECONDS = 20;

/** What would have been recorded of a chain in the stages that the engine makes of it, on a machine with nothing else to do. */
export function recorded(chain: readonly Recorded[], host: Host = MEASURED_HOST): Analysis {
  const operators = operatorsOf(chain);
  const costs = new Map(chain.map(each => [each.id, each]));
  const { stages } = staged(
    operators.map(operator => ({ ...operator, ...NO_DEMANDS })),
    ENGINE_RULES,
    NOTHING,
  );
  // Elements through each operator per element of the source.
  const through = new Map<string, number>();
  let flowing = 1;
  for (const { id, out = 1 } of chain) {
    through.set(id, flowing);
    flowing *= out;
  }
  const cpu = (id: string): number => ((costs.get(id)?.ms ?? 0) / 1000) * (through.get(id) ?? 0);
  const asleep = (id: string): number => ((costs.get(id)?.asleep ?? 0) / 1000) * (through.get(id) ?? 0);
  const sum = (ids: readonly Operator[], of: (id: string) => number): number =>
    ids.reduce((all, { id }) => all + of(id), 0);
  const rate = Math.min(...stages.map(({ operators: its, lanes }) => lanes / (sum(its, cpu) + sum(its, asleep))));
  const lanes = stages.flatMap(({ operators: its, lanes: count }) => {
    const id = its.map(({ label }) => label).join('+');
    return Array.from({ length: count }, (_, lane): SteadyLane => {
      const part = rate / count;
      const [running, blocked] = [part * sum(its, cpu), part * sum(its, asleep)];
      return {
        name: `${id}#${lane}`,
        perSecond: {
          lane: states(running, 0, blocked, 1 - running - blocked),
          [`stage:${id}`]: { cpu: running * SECOND, chunks: part },
          ...Object.fromEntries(
            its.map(operator => {
              const {
                out = 1,
                bytes = 8,
                draws = 0,
                call,
                failed = 0,
                stays = false,
              } = costs.get(operator.id) ?? { out: 1 };
              const arriving = part * (through.get(operator.id) ?? 0);
              return [
                `operator:${operator.id}`,
                {
                  elementsIn: arriving,
                  elementsOut: arriving * out,
                  bytesOut: arriving * out * bytes,
                  sampledElements: arriving,
                  // A sample is timed by the clock on the wall.
                  sampledTime: part * (cpu(operator.id) + asleep(operator.id)) * SECOND,
                  keyedDraws: arriving * draws,
                  ambientDraws: 0,
                  ...(call === undefined
                    ? {}
                    : { calls: arriving, callTime: arriving * call * 1000, failedCalls: arriving * failed }),
                  ...(stays ? { stayingElements: 1 } : {}),
                },
              ];
            }),
          ),
        },
      };
    });
  });
  const graph: Graph = {
    operators,
    channels: [],
    stages: stages.map(stage => ({
      id: stage.operators.map(({ label }) => label).join('+'),
      operators: stage.operators.map(({ id }) => id),
      parallelism: stage.lanes,
    })),
    fingerprint: 'f',
  };
  return analyse(graph, lanes, SECONDS, { host });
}

export const OPTIONS: PlanOptions = { rules: ENGINE_RULES, cores: 4, memory: 1e9, epochs: 1, now: () => 0 };

export const plan = (chain: readonly Recorded[], options: Partial<PlanOptions> = {}): TunedPlan =>
  planFor(recorded(chain), { ...OPTIONS, ...options });

export const others = (chain: readonly Recorded[], options: Partial<PlanOptions> = {}): TunedPlan[] =>
  otherPlans(recorded(chain), { ...OPTIONS, ...options });

export const elsewhere = (chain: readonly Recorded[], options: Partial<PlanOptions> = {}): TunedPlan | undefined =>
  otherPlaces(recorded(chain), { ...OPTIONS, ...options });

/** `operator.kind=value` of every change. */
export const inShort = ({ changes }: TunedPlan): string[] =>
  changes.map(({ action }) => {
    switch (action.kind) {
      case 'parallelism':
      case 'concurrency':
        return `${action.operator}.${action.kind}=${action.to ?? 'rides'}`;
      case 'divide':
        return `${action.operator}.divide=${action.parallelism}`;
      default:
        return `${action.operator}.${action.kind}`;
    }
  });
