import type { Analysis } from '../../analysis/analysis.ts';
import { isInOrder, LEAST_BYTES_PER_SECOND, readerOf, storageWait } from '../../analysis/bottleneck/storage-wait.ts';
import type { RunRates } from '../../analysis/rates/rates.ts';
import { growthOf } from '../../analysis/timeline.ts';
import { isLent } from '../../graph/lending.ts';
import { topologyOf } from '../../graph/topology.ts';
import { operatorsUpstreamFirst } from '../../graph/upstream-first.ts';
import { ratio } from '../../math/ratio.ts';
import { sumOf } from '../../math/totals.ts';
import { mostBandwidth } from '../../model/disk.ts';
import type { Operator } from '../../model/graph.ts';
import { subject } from '../../model/record.ts';
import { NS_PER_SECOND } from '../../model/units.ts';
import { type Amount, amountOf, exactly, NOTHING } from './amount.ts';
import { recordedArrangement } from './arrangement.ts';
import { evaluate } from './evaluate.ts';
import { asLent, type HandingCosts, handingCosts, sideCost, type Traffic, unmeasuredHanding } from './handing.ts';
import type { CostModel, CostOperator, Doubt, RecordedStage } from './model.ts';
import { pacesOf } from './pace.ts';
import { onResources, type RecordedCosts } from './recorded-costs.ts';
import type { WhatIf } from './resources.ts';
import { stayingOperators, tied } from './staying.ts';

/**
 * The cost model of a recording. `staying`: operators of which a trial has shown that what leaves them cannot go to another thread.
 * What `whatIf` leaves out is as it was recorded.
 */
export const costModelOf = (analysis: Analysis, whatIf: WhatIf = {}, staying: readonly string[] = []): CostModel =>
  onResources(recordedCosts(analysis, staying), whatIf);

/** A recording's cost model with what other resources are related to. */
export function recordedCosts(analysis: Analysis, staying: readonly string[] = []): RecordedCosts {
  const { rates, host } = analysis;
  const recorded = costOperators(analysis, staying);
  const handing = handingOf(analysis, recorded);
  const stages = rates.stages.map(
    ({ id, operators: its, lanes, overheadDemand }): RecordedStage => ({
      id,
      operators: its,
      lanes,
      overhead: overheadDemand,
    }),
  );
  const outside = outsideStages(rates);
  const received = rates.networkIn === undefined ? 0 : ratio(rates.networkIn, rates.rate.estimate);
  const { estimate, low, high } = rates.totalDemand;
  const asRecorded: CostModel = {
    operators: withOverhead(analysis, recorded, handing),
    stages,
    cores: rates.cpu.left,
    asRecorded: true,
    load: rates.cpu.busy,
    // Work of the main thread that no element causes (timers, counters) cannot be told from work for elements.
    outside: { estimate: outside, low: 0, high: outside },
    unaccounted: Math.min(outside, rates.outsideDemand),
    ...storageOf(analysis),
    ...consumerOf(analysis, recorded, handing),
    handing,
    paces: pacesOf(host.pipelineCosts),
    variation: rates.variation,
    noise: estimate > 0 && Number.isFinite(high) ? (high - low) / (2 * estimate) : 1,
    measured: { ...amountOf(rates.rate), confidence: rates.rate.confidence },
    residual: exactly(1),
    growth: {},
    kept: {},
    calls: {},
    doubts: doubtsOf(analysis),
  };
  const evaluated = evaluate(asRecorded, recordedArrangement(asRecorded)).rate;
  return {
    model: {
      ...asRecorded,
      residual: evaluated > 0 && Number.isFinite(evaluated) ? ratioOf(asRecorded.measured, evaluated) : exactly(1),
    },
    received,
    visits: rates.consumer?.visitRatio ?? 1,
  };
}

const ratioOf = ({ estimate, low, high }: Amount, by: number): Amount =>
  amountOf({ estimate: estimate / by, low: low / by, high: high / by });

function costOperators(analysis: Analysis, staying: readonly string[]): readonly CostOperator[] {
  const { graph, rates } = analysis;
  const stay = new Set([...staying, ...stayingOperators(analysis)]);
  const waiting = waitingInOrder(analysis);
  const asked = new Map(rates.stages.map(stage => [readerOf(analysis, stage), stage.askedDemand]));
  return tied(
    operatorsUpstreamFirst(graph.operators).map((operator): CostOperator => {
      const its = rates.operators.find(({ id }) => id === operator.id);
      const visits = passed(analysis, operator.id) > 0 ? (its?.visitRatio ?? 0) : 0;
      const cpu = visits > 0 ? amountOf(its?.cpuDemand ?? NOTHING) : NOTHING;
      return {
        ...operator,
        sequential: operator.sequential || hasEffectsInOrder(operator),
        // Of an operator that only moves references the clock measured little but itself.
        cpu: operator.work === 'own' ? cpu : { ...cpu, low: 0 },
        overhead: NOTHING,
        blocked: its?.blockedDemand ?? 0,
        waitsInOrder: waiting === operator.id,
        calling: its?.calls === undefined ? 0 : (its.calls.time / NS_PER_SECOND) * visits,
        asked: asked.get(operator.id) ?? 0,
        ...trafficOf(analysis, operator, visits),
        stays: stay.has(operator.id),
        idle: false,
      };
    }),
  );
}

/** What it does for its effect is done in order, unless its author divided it. */
export const hasEffectsInOrder = ({ effectsInOrder, parallelism }: Operator): boolean =>
  effectsInOrder === true && (parallelism ?? 1) === 1;

function trafficOf(analysis: Analysis, { id, sink }: Operator, visitRatio: number): Traffic {
  const { rates, rows, sizes } = analysis;
  const visits = sink === true ? 0 : visitRatio;
  const row = rows.operators.find(operator => operator.id === id);
  const each = (amount: number | undefined): number =>
    amount === undefined || row === undefined || !(row.elementsOut > 0) ? 0 : amount / row.elementsOut;
  const size = sizes.find(operator => operator.id === id)?.bytesPerElement?.estimate ?? each(row?.bytesOut);
  const stage = rates.operators.find(operator => operator.id === id)?.stage;
  const chunks = stage === undefined ? 0 : chunksOf(analysis, stage);
  return {
    visits,
    bytes: visits * size,
    arrays: visits * each(row?.arraysOut),
    objects: visits * each(row?.objectsOut),
    // A stage hands on one chunk at most for each that it works on.
    chunks: Math.min(visits, chunks),
  };
}

/** Elements that came to an operator or left it in the steady part: none where a cache downstream is full. */
const passed = ({ timeline, rates: { steady } }: Analysis, id: string): number =>
  sumOf(['elementsIn', 'elementsOut'] as const, metric =>
    growthOf(timeline.lanes, subject.operator(id), metric, steady.from, steady.to),
  );

/** Chunks that a stage works on per counted element. */
function chunksOf({ timeline, rates: { steady, completions } }: Analysis, stage: string): number {
  return ratio(growthOf(timeline.lanes, subject.stage(stage), 'chunks', steady.from, steady.to), completions);
}

/** A sequential operator that is blocked on something outside, a queue or a timer. */
function waitingInOrder(analysis: Analysis): string | undefined {
  const found = storageWait(analysis);
  if (found === undefined || found.rate >= LEAST_BYTES_PER_SECOND) return undefined;
  const operator = readerOf(analysis, found.stage);
  return isInOrder(analysis, operator) ? operator : undefined;
}

/** CPU seconds per counted element outside all stages. */
function outsideStages({ stages, totalDemand }: RunRates): number {
  return Math.max(0, totalDemand.estimate - sumOf(stages, ({ cpuDemand }) => cpuDemand.estimate));
}

/** Bandwidth of storage: as measured, or as the recording shows it to be saturated. */
function storageOf(analysis: Analysis): Pick<CostModel, 'storage'> {
  if (analysis.disk !== undefined) return { storage: mostBandwidth(analysis.disk) };
  const found = storageWait(analysis);
  return found?.why === 'bandwidth' ? { storage: found.rate } : {};
}

/**
 * The consumer's own work. Where a recording does not tell it from receiving, and from being woken where it had waited, the machine's
 * costs say how much these took.
 */
function consumerOf(
  { rates: { consumer }, graph, host }: Analysis,
  operators: readonly CostOperator[],
  { receive, sleeper }: HandingCosts,
): Pick<CostModel, 'consumer'> {
  if (consumer === undefined || !(consumer.stepDemand.estimate > 0)) return {};
  const visits = consumer.visitRatio;
  if (consumer.overheadDemand > 0 || host.pipelineCosts === undefined) {
    return { consumer: { step: amountOf(consumer.stepDemand), visits } };
  }
  const topology = topologyOf(graph.operators);
  const ends = new Set(topology.nodes.filter(node => topology.readers(node).length === 0).map(({ id }) => id));
  const traffic = operators.filter(({ id, sink }) => ends.has(id) && sink !== true);
  const receiving = (end: keyof Amount): number =>
    sumOf(traffic, each => sideCost(receive, each, end) + each.chunks * (1 - consumer.busy) * sleeper[end]);
  const { estimate, low, high } = amountOf(consumer.stepDemand);
  return {
    consumer: {
      step: {
        estimate: Math.max(0, estimate - receiving('estimate')),
        low: Math.max(0, low - receiving('high')),
        high: Math.max(0, high - receiving('low')),
      },
      visits,
    },
  };
}

/** Costs of handing on: as measured on the machine, or else an element's in the recording's own channels. */
function handingOf(analysis: Analysis, operators: readonly CostOperator[]): HandingCosts {
  const { host, rates } = analysis;
  if (host.pipelineCosts !== undefined) return handingCosts(host.pipelineCosts);
  const handed = sumOf(rates.stages, ({ operators: its }) =>
    sumOf(channelSides(analysis, operators, its), ({ traffic }) => traffic.visits),
  );
  const overhead = sumOf(rates.stages, ({ overheadDemand }) => overheadDemand);
  return unmeasuredHanding(ratio(overhead, handed));
}

/** What each side pays for a chunk that finds its receiver asleep. */
const WAKING = { send: 'waker', receive: 'sleeper' } as const;

interface ChannelSide {
  readonly side: keyof typeof WAKING;
  readonly traffic: Traffic;
  /** Part of its time that the receiver had nothing to do. */
  readonly idle: number;
}

/** Sides of the recording's channels that a stage had. */
function channelSides(
  { graph, rates }: Analysis,
  operators: readonly CostOperator[],
  stage: readonly string[],
): ChannelSide[] {
  const its = stage.flatMap(id => operators.find(operator => operator.id === id) ?? []);
  const lends = isLent(its, graph.channels.filter(({ to }) => stage.includes(to)).length);
  return graph.channels.flatMap(({ from, to }): ChannelSide[] => {
    const traffic = operators.find(({ id }) => id === from);
    if (traffic === undefined) return [];
    const receiver = rates.stages.find(({ operators: its }) => its.includes(to)) ?? rates.consumer;
    const idle = receiver === undefined ? 0 : 1 - receiver.busy;
    return [
      ...(stage.includes(from) ? [{ side: 'send' as const, traffic, idle }] : []),
      ...(stage.includes(to) ? [{ side: 'receive' as const, traffic: lends ? asLent(traffic) : traffic, idle }] : []),
    ];
  });
}

/** The operators with what their stages took more, or less, for handing on than the machine's costs explain. */
function withOverhead(
  analysis: Analysis,
  operators: readonly CostOperator[],
  handing: HandingCosts,
): readonly CostOperator[] {
  if (analysis.host.pipelineCosts === undefined) return operators;
  const unexplained = new Map(
    analysis.rates.stages.map(({ operators: its, overheadDemand }) => {
      const sides = channelSides(analysis, operators, its);
      const modelled = sumOf(
        sides,
        ({ side, traffic, idle }) =>
          sideCost(handing[side], traffic, 'estimate') + traffic.chunks * idle * handing[WAKING[side]].estimate,
      );
      return [its.at(-1), overheadDemand - modelled];
    }),
  );
  return operators.map(operator => {
    const estimate = unexplained.get(operator.id) ?? 0;
    return { ...operator, overhead: { estimate, low: Math.min(0, estimate), high: Math.max(0, estimate) } };
  });
}

/** What the recording cannot say. */
function doubtsOf(analysis: Analysis): Doubt[] {
  const { graph, host, rows } = analysis;
  const topology = topologyOf(graph.operators);
  const seen = new Map(rows.operators.map(({ id, elementsIn, elementsOut }) => [id, elementsIn + elementsOut]));
  return [
    ...(host.pipelineCosts === undefined ? [{ kind: 'costs-unmeasured' as const }] : []),
    ...topology.nodes.flatMap((operator): Doubt[] => {
      const { id, cache, inputs } = operator;
      const isBehindSinks = inputs.length > 0 && topology.inputs(operator).every(({ sink }) => sink === true);
      if ((seen.get(id) ?? 0) === 0) return isBehindSinks ? [] : [{ kind: 'never-busy', operator: id }];
      const isFilling = inputs.some(input => passed(analysis, input) > 0);
      return cache !== undefined && isFilling && topology.passes(operator) > 1
        ? [{ kind: 'cache-unfilled', operator: id }]
        : [];
    }),
  ];
}
