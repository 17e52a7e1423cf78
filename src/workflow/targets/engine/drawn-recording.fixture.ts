import { engineRules } from '../../../engine/compile/fusing.ts';
import { neededNodes } from '../../../graph/needed.ts';
import { cutStages, type FusedStage } from '../../../graph/stages.ts';
import { type Topology, topologyOf } from '../../../graph/topology.ts';
import { Random } from '../../../math/random.ts';
import { sumOf } from '../../../math/totals.ts';
import { CONSUMER } from '../../../model/consumer.ts';
import type { Graph, Operator } from '../../../model/graph.ts';
import type { Host } from '../../../model/host.ts';
import { kindText } from '../../../model/kind.ts';
import { METRICS, type Metric } from '../../../model/metric.ts';
import { subject } from '../../../model/record.ts';
import { NS_PER_SECOND } from '../../../model/units.ts';
import { type LaneWriter, openLane } from '../../../store/lane-writer.ts';
import { FACTS, START } from '../../../store/run.fixture.ts';
import { createRun } from '../../../store/run-writer.ts';

const SECONDS = 20;
const EVERY = 0.25;

/** Elements that come to an operator and leave it, CPU and sleep, s, per element of a source; bytes of one that leaves. */
interface Demands {
  readonly arriving: number;
  readonly leaving: number;
  readonly cpu: number;
  readonly asleep: number;
  readonly bytes: number;
}

type Stage = FusedStage<Operator>;
const idOf = ({ nodes }: Stage): string => nodes.map(({ id }) => id).join('+');

/**
 * Writes what would have been recorded of a graph, in the stages that the engine makes of it, with demands drawn from a seed. `isFilled`: its
 * caches are full, so that nobody asks what is upstream of them alone.
 */
export function writeRecording(
  folder: string,
  operators: readonly Operator[],
  host: Host,
  { seed, isFilled }: { readonly seed: number; readonly isFilled: boolean },
): string {
  const random = new Random();
  random.rekey(seed, 0, 0, 0, 0);
  const topology = topologyOf(operators);
  const stages = cutStages(topology, engineRules().fusing);
  const demands = demandsOf(topology, random, isFilled);
  const busy = ({ nodes, lanes }: Stage): number => sumOf(nodes, node => timeOf(demands.get(node))) / lanes;
  const rate = 1 / Math.max(...stages.map(busy));
  const run = createRun(folder, { ...FACTS, graph: graphOf(topology, stages), host });
  for (const [at, stage] of stages.entries()) {
    for (let lane = 0; lane < stage.lanes; lane++) {
      const name = `${idOf(stage)}#${lane}`;
      const writer = openLane(run.folder, { name, pid: 1, tid: 100 * at + lane, opened: BigInt(START) });
      writeLane(writer, stage, demands, rate / stage.lanes, random);
    }
  }
  const monotonic = String(START + SECONDS * NS_PER_SECOND);
  run.finish({ status: 'completed', endedAt: FACTS.createdAt, monotonic, warnings: [] });
  return run.folder;
}

const timeOf = (demands: Demands | undefined): number => (demands?.cpu ?? 0) + (demands?.asleep ?? 0);

/** Elements that leave an operator for each that comes. */
const LEAVING: Readonly<Record<string, number>> = { filter: 0.5, batch: 0.25, forEach: 0 };

function demandsOf(topology: Topology<Operator>, random: Random, isFilled: boolean): ReadonlyMap<Operator, Demands> {
  const between = (low: number, high: number): number => low * (high / low) ** random.uniform();
  const needed = isFilled ? neededNodes(topology, ({ cache }) => cache !== undefined) : new Set(topology.nodes);
  const demands = new Map<Operator, Demands>();
  for (const operator of topology.nodes) {
    const { kind, work, joins, cache } = operator;
    const isIdle = !needed.has(operator);
    const incoming = topology.inputs(operator).map(input => demands.get(input)?.leaving ?? 0);
    const joined = joins === 'shortest' ? Math.min(...incoming) : sumOf(incoming, each => each);
    const arriving = isIdle ? 0 : incoming.length === 0 || (isFilled && cache !== undefined) ? 1 : joined;
    demands.set(operator, {
      arriving,
      leaving: arriving * (LEAVING[kindText(kind)] ?? 1),
      cpu: arriving * (work === 'own' ? between(1e-5, 5e-3) : between(1e-7, 1e-5)),
      asleep: work === 'own' && random.uniform() < 0.2 ? arriving * between(1e-4, 5e-3) : 0,
      bytes: between(8, 1e6),
    });
  }
  return demands;
}

/** A lane in which every quarter of a second is a little other. `rate`: elements of a source per second. */
function writeLane(
  writer: LaneWriter,
  stage: Stage,
  demands: ReadonlyMap<Operator, Demands>,
  rate: number,
  random: Random,
): void {
  const totals = new Map<string, number>();
  for (let window = 1; window * EVERY <= SECONDS; window++) {
    const moment = START + Math.round(window * EVERY * NS_PER_SECOND);
    const add = (key: string, figures: Partial<Record<Metric, number>>): void => {
      const number = key === '' ? 0 : writer.subjectNumber(key);
      for (const [metric, more] of Object.entries(figures) as [Metric, number][]) {
        const sum = (totals.get(`${key} ${metric}`) ?? 0) + more;
        totals.set(`${key} ${metric}`, sum);
        writer.counter(number, METRICS[metric].code, moment, Math.round(sum), window);
      }
    };
    const flowed = rate * EVERY * (1 - 0.1 * random.uniform());
    const worked = rate * EVERY * NS_PER_SECOND * (1 - 0.1 * random.uniform());
    const running = worked * sumOf(stage.nodes, node => demands.get(node)?.cpu ?? 0);
    const blocked = worked * sumOf(stage.nodes, node => demands.get(node)?.asleep ?? 0);
    const starved = EVERY * NS_PER_SECOND - running - blocked;
    add('', { running, runnable: 0, blocked, starved, backpressured: 0 });
    add(subject.stage(idOf(stage)), { cpu: running, chunks: flowed });
    for (const node of stage.nodes) {
      const its = demands.get(node);
      if (its === undefined) continue;
      // What is idle since a cache is full was busy before.
      const before = its.arriving === 0 && window === 1 ? 1000 : 0;
      add(subject.operator(node.id), {
        elementsIn: flowed * its.arriving + before,
        elementsOut: flowed * its.leaving + before,
        bytesOut: (flowed * its.leaving + before) * its.bytes,
        sampledElements: flowed * its.arriving + before,
        // A sample is timed by the clock on the wall.
        sampledTime: worked * timeOf(its),
        keyedDraws: 0,
        ambientDraws: 0,
      });
    }
  }
  writer.close(START + SECONDS * NS_PER_SECOND);
}

function graphOf(topology: Topology<Operator>, stages: readonly Stage[]): Graph {
  const stageOf = new Map(stages.flatMap(stage => stage.nodes.map(node => [node, stage] as const)));
  const channel = (from: string, to: string) => ({ id: `${from} → ${to}`, from, to, slots: 4, capacity: 1e6 });
  return {
    operators: [...topology.nodes],
    channels: topology.nodes.flatMap(node => {
      const readers = topology.readers(node).map(({ placed }) => placed);
      if (readers.length === 0) return [channel(node.id, CONSUMER)];
      return readers.filter(reader => stageOf.get(reader) !== stageOf.get(node)).map(({ id }) => channel(node.id, id));
    }),
    stages: stages.map(stage => ({
      id: idOf(stage),
      operators: stage.nodes.map(({ id }) => id),
      parallelism: stage.lanes,
    })),
    fingerprint: 'drawn',
  };
}
