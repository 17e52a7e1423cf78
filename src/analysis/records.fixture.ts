import type { Graph, Operator } from '../model/graph.ts';
import type { Host } from '../model/host.ts';
import { withTraits } from '../model/kind-traits.ts';
import { METRICS, type Metric } from '../model/metric.ts';
import { RECORD_KIND } from '../model/record.ts';
import type { RecordBlock } from '../model/span.ts';
import { type Analysis, type AnalysisFacts, RunAnalysis } from './analysis.ts';

export type Figures = Readonly<Partial<Record<Metric, number>>>;

/** What a lane counts per second, under each key; its own states under `lane`. */
export interface SteadyLane {
  readonly name: string;
  readonly perSecond: Readonly<Record<string, Figures>>;
  /** And what it counted besides before its first reading. */
  readonly first?: Readonly<Record<string, Figures>>;
}

export const SECOND = 1e9;

/** Blocks of counters of lanes that do the same every second, one reading per `every` seconds. */
export function steadyBlocks(
  lanes: readonly SteadyLane[],
  seconds: number,
  every = 0.25,
): { blocks: RecordBlock[]; subjects: string[] } {
  const subjects: string[] = [];
  const numberOf = (key: string): number => {
    if (!subjects.includes(key)) subjects.push(key);
    return subjects.indexOf(key);
  };
  const blocks = lanes.map(({ name, perSecond, first }, index) => {
    const rows: [subject: number, code: number, moment: number, value: number][] = [];
    for (let moment = every; moment <= seconds + 1e-9; moment += every) {
      for (const [key, figures] of Object.entries(perSecond)) {
        for (const [metric, value] of Object.entries(figures) as [Metric, number][]) {
          const own = key === 'lane' ? `lane:${name}` : key;
          rows.push([
            numberOf(own),
            METRICS[metric].code,
            moment * SECOND,
            (first?.[key]?.[metric] ?? 0) + value * moment,
          ]);
        }
      }
    }
    return blockOf(index, name, rows);
  });
  return { blocks, subjects };
}

/** One block of counters. */
export function blockOf(
  index: number,
  name: string,
  rows: readonly (readonly [subject: number, code: number, moment: number, value: number])[],
): RecordBlock {
  return {
    lane: { index, uuid: `lane-${index}`, name, pid: 1, tid: index, opened: 0 },
    count: rows.length,
    kind: Uint8Array.from(rows, () => RECORD_KIND.counter),
    flags: Uint8Array.from(rows, ([, code]) => code),
    subject: Int32Array.from(rows, ([subject]) => subject),
    sequence: new Uint32Array(rows.length),
    start: Float64Array.from(rows, ([, , moment]) => moment),
    duration: Float64Array.from(rows, ([, , , value]) => value),
  };
}

/** With the traits of its kind. */
export const operator = (
  id: string,
  inputs: string[],
  { kind = 'map', ...more }: Partial<Omit<Operator, 'kind'>> & { readonly kind?: string } = {},
): Operator => withTraits({ id, kind, label: id, inputs, settings: {}, sequential: false, ...more });

/** Every operator in a stage of its own; the last one's channel leads to the consumer where `consumer` says so. */
export function graphOf(operators: readonly Operator[], consumer = true): Graph {
  const read = new Set(operators.flatMap(({ inputs }) => inputs));
  const channel = (from: string, to: string) => ({ id: `${from} → ${to}`, from, to, slots: 4, capacity: 1e6 });
  return {
    operators: [...operators],
    channels: [
      ...operators.flatMap(({ id, inputs }) => inputs.map(input => channel(input, id))),
      ...(consumer ? operators.filter(({ id }) => !read.has(id)).map(({ id }) => channel(id, 'consumer')) : []),
    ],
    stages: operators.map(({ id, parallelism }) => ({ id, operators: [id], parallelism: parallelism ?? 1 })),
    fingerprint: 'f',
  };
}

export const HOST: Host = {
  platform: 'linux',
  arch: 'x64',
  kernel: '6.1',
  cpuModel: 'Fast CPU',
  coresPresent: 4,
  coresUsable: 4,
  coresLimit: 'none',
  memoryPresent: 8e9,
  memoryUsable: 8e9,
  memoryLimit: 'none',
  runtime: 'node 20.19.0',
};

/** ns per second in each state. */
export const states = (running: number, runnable = 0, blocked = 0, starved = 0): Figures => ({
  running: running * SECOND,
  runnable: runnable * SECOND,
  blocked: blocked * SECOND,
  starved: starved * SECOND,
  backpressured: (1 - running - runnable - blocked - starved) * SECOND,
});

export function analyse(
  graph: Graph,
  lanes: readonly SteadyLane[],
  seconds: number,
  facts: Partial<AnalysisFacts> = {},
): Analysis {
  const fold = new RunAnalysis();
  const { blocks, subjects } = steadyBlocks(lanes, seconds);
  for (const block of blocks) fold.block(block, subjects);
  return fold.result({ graph, host: HOST, durationNs: seconds * SECOND, completed: true, complete: true, ...facts });
}
