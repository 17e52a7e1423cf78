import { ratio } from '../../math/ratio.ts';
import { sumOf } from '../../math/totals.ts';
import { type Kind, kindNamed } from '../../model/kind.ts';
import { stepTraitsOf } from '../../model/kind-traits.ts';
import type { LoaderFact, LoaderFrame } from '../../model/loader-facts.ts';
import type { StepTraits } from '../../model/step-traits.ts';
import {
  type Bytes,
  bytes,
  type Elements,
  type ElementsPerSecond,
  elements,
  elementsPerSecond,
  NS_PER_SECOND,
  type Ns,
  ns,
  type Share,
  share,
} from '../../model/units.ts';
import { type SpanTimes, spanTimes } from '../rates/spans.ts';
import { type Batch, consumeTime, delayTime, isConsumed, passesOf, preparationTime, waitTime } from './batch.ts';
import { costOf, type LoaderCost } from './cost.ts';
import { type Distribution, distribution } from './distribution.ts';
import { recurringFirstWaits } from './first-waits.ts';
import type { AheadSpan, BatchFacts, PreparerLane, SharedSpace, SlowElement } from './fold.ts';
import { type LateShare, lateShares } from './late-shares.ts';
import { type PassSummary, type SharedEvidence, summarisePass } from './pass.ts';
import { holdingUp, inRankOrder, type RankSpread, type RankSummary, spreadOf, summariseRank } from './ranks.ts';
import { type BoundEvidence, type BoundVerdict, boundBy, meansPerBatch } from './verdict.ts';
import { addedWaits, type WaitSplit } from './wait-split.ts';

/** An operator's time on one element, or on one batch for the collation (T3). */
export interface OperatorTimeRow extends SpanTimes {
  readonly operator: string;
  readonly kind: Kind;
  readonly traits: StepTraits;
  readonly location: string | undefined;
  /** Elements that were timed; a sample where elements are too cheap to time them all. */
  readonly timed: number;
  readonly below10ms: Share;
  readonly below100us: Share;
  /** Part of all the timed work of the loader, without what operators inside it took. */
  readonly share: Share;
}

export interface LoaderSummary {
  readonly name: string;
  /** Tells it from others in every run of the program; undefined in recordings before 0.2. */
  readonly key: string | undefined;
  /** The author's line that made it, or called what did, and the calls around it. */
  readonly location: string | undefined;
  readonly stack: readonly LoaderFrame[];
  /** Whose code made it, where that was not the author's, and whose made it anew. */
  readonly library: string | undefined;
  readonly remadeBy: string | undefined;
  readonly settings: LoaderFact['settings'] | undefined;
  /** Batches that reached the consumer, their elements, and batches that were prepared but never asked for. */
  readonly batches: number;
  readonly elements: Elements;
  readonly unconsumed: number;
  readonly elementsPerSecond: ElementsPerSecond;
  readonly preparation: Distribution;
  readonly wait: Distribution;
  readonly delay: Distribution;
  readonly consume: Distribution;
  /** Steps timed on the device: its idle time before the batch, and the duration of the step on it. */
  readonly deviceWait: Distribution;
  /** Device that the program was using when it first asked for a batch. */
  readonly accelerator: string | undefined;
  readonly deviceStep: Distribution;
  /** CPU time per batch of the preparing thread, and its time queued for a core. */
  readonly cpu: Distribution;
  readonly runDelay: Distribution;
  readonly waitSplit: WaitSplit;
  readonly late: readonly LateShare[];
  /** Batches that arrived before one that was ordered earlier. */
  readonly outOfOrder: number;
  /** The wait for the first batch of each pass, workers' start included. */
  readonly firstWaits: Distribution;
  /** Share of the workers' time without a task. */
  readonly idleShare: Share | undefined;
  readonly workers: number;
  /** The most memory that one worker had. */
  readonly workerMemory: Bytes | undefined;
  readonly operators: readonly OperatorTimeRow[];
  readonly slowest: readonly SlowElement[];
  readonly passes: readonly PassSummary[];
  /** The processes that consume it, one or more; the figures above are those of all of them together. */
  readonly ranks: readonly RankSummary[];
  readonly rankSpread: RankSpread | undefined;
  readonly evidence: BoundEvidence;
  /** Of several ranks, that of the one which holds the others up. */
  readonly verdict: BoundVerdict;
  readonly cost: LoaderCost;
}

export interface BatchSummary {
  readonly loaders: readonly LoaderSummary[];
  /** Work on data that was done before there was a loader, such as Hugging Face's `Dataset.map`. */
  readonly ahead: readonly AheadSpan[];
  /** Of all processes on the machine. */
  readonly sharedSpace: SharedSpace | undefined;
  /** From the first batch asked for to the end of the last pass. */
  readonly start: Ns;
  readonly end: Ns;
  readonly torch: string | undefined;
  readonly python: string | undefined;
}

const SLOWEST_SHOWN = 10;

export function summariseBatches(facts: BatchFacts, coresUsable: number): BatchSummary {
  const names = [...new Set([...facts.loaders.keys(), ...facts.batches.map(batch => batch.loader)])];
  const judged = names
    .map(name => summariseLoader(name, facts, coresUsable))
    .filter(loader => loader.batches + loader.unconsumed > 0);
  const passes = judged.flatMap(loader => loader.passes);
  const start = Math.min(...passes.map(pass => pass.start), Number.POSITIVE_INFINITY);
  const end = Math.max(0, ...passes.map(pass => pass.end));
  return {
    loaders: judged.map(loader => ({ ...loader, cost: costOf(loader, end - start) })),
    ahead: facts.ahead,
    sharedSpace: facts.sharedSpace,
    start: ns(passes.length === 0 ? 0 : start),
    end: ns(end),
    torch: facts.process?.torch ?? undefined,
    python: facts.process?.python ?? undefined,
  };
}

function summariseLoader(name: string, facts: BatchFacts, coresUsable: number): Omit<LoaderSummary, 'cost'> {
  const ordered = facts.batches.filter(batch => batch.loader === name);
  const batches = ordered.filter(isConsumed);
  const fact = facts.loaders.get(name);
  const lanes = facts.preparers.filter(lane => lane.loader === name && lane.idle > 0);
  const others = batches.filter(batch => batch.preparer !== batch.consumer);
  const workers = fact?.settings.num_workers ?? new Set(others.map(batch => batch.preparer)).size;
  const busy = sumOf(lanes, lane => sumOf(lane.tasks.values(), task => task.prepareEnd - task.prepareStart));
  const idle = sumOf(lanes, lane => lane.idle);
  const idleShare = share(ratio(idle, idle + busy));
  const shared = { workers, coresUsable, idleShare };
  const passes = passesInOrder(batches).map(pass => summarisePass(pass, facts, shared));
  const evidence = addEvidence(passes, batches, shared);
  // Processes that consume do so at the same time: ranks of one training.
  const ranks = [...new Set(passes.map(pass => pass.consumer))]
    .map(consumer => {
      const own = {
        passes: passes.filter(pass => pass.consumer === consumer),
        batches: batches.filter(batch => batch.consumer === consumer),
      };
      const rank = facts.ranks.get(consumer);
      return summariseRank({ consumer, rank, ...own, evidence: addEvidence(own.passes, own.batches, shared) });
    })
    .sort(inRankOrder);
  const span = sumOf(passes, pass => pass.end - pass.start) / Math.max(1, ranks.length);
  const count = sumOf(batches, batch => batch.elements);
  return {
    name,
    key: fact?.key ?? undefined,
    location: fact?.location ?? undefined,
    stack: fact?.stack ?? [],
    library: fact?.library ?? undefined,
    remadeBy: fact?.remadeBy ?? undefined,
    settings: fact?.settings,
    batches: batches.length,
    elements: elements(count),
    unconsumed: ordered.filter(batch => !isConsumed(batch) && !Number.isNaN(batch.prepareEnd)).length,
    elementsPerSecond: elementsPerSecond(ratio(count, span / NS_PER_SECOND)),
    preparation: distribution(batches.map(preparationTime)),
    wait: distribution(batches.map(waitTime)),
    delay: distribution(batches.map(delayTime)),
    consume: distribution(batches.map(consumeTime)),
    accelerator: facts.process?.accelerator ?? undefined,
    deviceWait: distribution(batches.map(batch => batch.deviceWait)),
    deviceStep: distribution(batches.map(batch => batch.deviceStep)),
    cpu: distribution(batches.map(batch => batch.cpu)),
    runDelay: distribution(batches.map(batch => batch.runDelay)),
    waitSplit: addedWaits(passes.map(pass => pass.waitSplit)),
    late: lateShares(batches),
    outOfOrder: sumOf(passes, pass => pass.outOfOrder),
    firstWaits: distribution(passes.map(pass => pass.firstWait)),
    idleShare: idle + busy > 0 ? idleShare : undefined,
    workers,
    workerMemory: mostMemory(lanes),
    operators: operatorRows(name, facts),
    slowest: facts.slowest.filter(element => element.loader === name).slice(0, SLOWEST_SHOWN),
    passes,
    ranks,
    rankSpread: spreadOf(ranks),
    evidence,
    verdict: holdingUp(ranks)?.verdict ?? boundBy(evidence),
  };
}

function mostMemory(lanes: readonly PreparerLane[]): Bytes | undefined {
  const known = lanes.map(lane => lane.memory ?? 0);
  const most = Math.max(0, ...known);
  return most > 0 ? bytes(most) : undefined;
}

/** Passes, and their batches, in the order in which the consumer asked for them. */
function passesInOrder(batches: readonly Batch[]): Batch[][] {
  const sorted = passesOf(batches).map(pass => pass.sort((a, b) => a.waitStart - b.waitStart));
  return sorted.sort((a, b) => (a[0]?.waitStart ?? 0) - (b[0]?.waitStart ?? 0));
}

function addEvidence(passes: readonly PassSummary[], batches: readonly Batch[], shared: SharedEvidence): BoundEvidence {
  const sum = (of: (evidence: BoundEvidence) => number): number => sumOf(passes, ({ evidence }) => of(evidence));
  return {
    ...shared,
    ...recurringFirstWaits(passes),
    batches: sum(pass => pass.batches),
    wait: ns(sum(pass => pass.wait)),
    consume: ns(sum(pass => pass.consume)),
    waitUnprepared: ns(sum(pass => pass.waitUnprepared)),
    waitPrepared: ns(sum(pass => pass.waitPrepared)),
    waitInOrder: ns(sum(pass => pass.waitInOrder)),
    ...meansPerBatch(batches),
    deviceSteps: sum(pass => pass.deviceSteps),
    deviceWait: ns(sum(pass => pass.deviceWait)),
    deviceStep: ns(sum(pass => pass.deviceStep)),
  };
}

function operatorRows(loader: string, facts: BatchFacts): OperatorTimeRow[] {
  const rows = [...(facts.operators.get(loader) ?? [])];
  const all = sumOf(rows, ([, times]) => times.self);
  const unsorted = rows.map(([operator, { spans, self, below10ms, below100us }]) => {
    const fact = facts.operatorFacts.get(operator);
    return {
      operator,
      kind: fact?.kind ?? kindNamed('transform'),
      traits: fact?.traits ?? stepTraitsOf(operator, 'transform'),
      location: fact?.location ?? undefined,
      timed: spans.count,
      ...spanTimes(spans),
      below10ms: share(below10ms / spans.count),
      below100us: share(below100us / spans.count),
      share: share(ratio(self, all)),
    };
  });
  return unsorted.sort((a, b) => a.traits.place - b.traits.place);
}
