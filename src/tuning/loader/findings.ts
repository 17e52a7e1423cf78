import type { LoaderSummary } from '../../analysis/batches/summary.ts';
import { withToldGain } from '../../analysis/findings/told-gain.ts';
import { type Interval, mean } from '../../math/statistics.ts';
import type { Cause, Gain } from '../../model/finding.ts';
import type {
  LoaderChanges,
  LoaderDoubt,
  LoaderFinding,
  LoaderFindingOf,
  LoaderFix,
  WaitFigures,
} from '../../model/loader-finding.ts';
import { bytes, cores, elementsPerSecond, ns, type Share, share } from '../../model/units.ts';
import { forecastLoader } from '../../prediction/loader/forecast.ts';
import { TEAM } from '../../prediction/loader/machine.ts';
import type { LoaderProfile } from '../../prediction/loader/profile.ts';
import type { LoaderChoice } from './choose.ts';
import { repeatedWork } from './repeated.ts';

/** A loader, what was worked out about it, and the machine it ran on. */
export interface JudgedLoader {
  readonly loader: LoaderSummary;
  /** Undefined where too little was recorded to forecast from. */
  readonly profile: LoaderProfile | undefined;
  readonly choice: LoaderChoice | undefined;
  /** Cores that the program used while batches flowed. */
  readonly coresBusy: number;
  /** Part of what storage can give that was read; undefined where nobody said what it can. */
  readonly storageShare: number | undefined;
  readonly accelerator: string | undefined;
}

export interface LoaderFindings {
  readonly verdict: LoaderFinding;
  readonly others: readonly LoaderFinding[];
}

const FULL = 0.9;
const STORAGE_FULL = 0.85;
const BY_SETTINGS = 1.3;
/** Parts above which something beside the verdict is worth a word. */
const QUEUED = 0.2;
const HARDLY_QUEUED = 0.05;
const START = 0.03;
const SLOW = 8;
const SLOWEST_NAMED = 3;
const REPEATED = 0.3;
const WORTH_PINNING = 1e6;
const ENOUGH_BATCHES = 200;
/** Less is not promised. */
const LEAST_GAIN = 1.03;
/** Of a change outside the loader. */
const WORTH_A_VARIABLE = 1.1;

/** What limits a loader and its consumer, and what else there is to say: nothing, where its batches are too few. */
export function loaderFindings(judged: JudgedLoader): LoaderFindings {
  const verdict = withToldGain(verdictOf(judged));
  if (verdict.kind === 'few-batches') return { verdict, others: [] };
  return {
    verdict,
    others: [
      coresShort(judged),
      stepsCrowded(judged),
      memoryShort(judged),
      workerStart(judged),
      slowElements(judged),
      repeated(judged),
      unpinned(judged),
      passesDiffer(judged),
    ].flatMap(finding => (finding === undefined ? [] : [withToldGain(finding)])),
  };
}

function verdictOf(judged: JudgedLoader): LoaderFinding {
  const { loader, profile, coresBusy } = judged;
  const { verdict, evidence, waitSplit } = loader;
  const heaviest = loader.operators.reduce<LoaderSummary['operators'][number] | undefined>(
    (most, row) => (most === undefined || row.share > most.share ? row : most),
    undefined,
  );
  const figures = {
    // Without the start of workers where that is known, as a forecast has it.
    rate: elementsPerSecond(profile?.measured || loader.elementsPerSecond),
    waiting: verdict.waitShare,
    atStake: loader.cost.lostOfProgram,
    workers: loader.workers,
    preparation: evidence.preparationPerBatch,
    step: evidence.consumePerBatch,
    delay: loader.delay.mean,
  };
  const common = { limits: true, operators: [loader.name], doubts: doubtsOf(judged) } as const;
  const change = { ...common, cause: causeOf(judged), fix: fixOf(judged), gain: gainOf(judged) };
  switch (verdict.bound) {
    case 'preparation':
      return {
        ...change,
        kind: 'preparation-bound',
        operators: [loader.name, ...(heaviest === undefined ? [] : [heaviest.operator])],
        figures: {
          ...figures,
          coresBusy: cores(coresBusy),
          coresUsable: cores(evidence.coresUsable),
          heaviest: heaviest?.operator,
          heaviestShare: heaviest?.share ?? share(0),
        },
      };
    case 'order':
      return {
        ...change,
        kind: 'order-bound',
        figures: { ...figures, outOfOrder: share(loader.outOfOrder / Math.max(1, loader.batches)) },
      };
    case 'transfer': {
      const handing = waitSplit.behindOthers + waitSplit.transfer + waitSplit.pinning + waitSplit.queued;
      return {
        ...change,
        kind: 'transfer-bound',
        figures: {
          ...figures,
          pinning: share(handing > 0 ? waitSplit.pinning / handing : 0),
          perBatch: ns(evidence.waitPrepared / Math.max(1, evidence.batches)),
        },
      };
    }
    case 'start':
      return startBound(judged, { ...common, figures });
    case 'consumer': {
      const mostly = verdict.workersWanted !== undefined;
      return {
        ...(mostly ? change : { ...common, fix: { type: 'advice' }, gain: undefined }),
        kind: 'consumer-bound',
        cause: { type: 'none' },
        figures: { ...figures, nearly: false, mostly },
      };
    }
    case 'balanced':
      return {
        ...common,
        kind: 'consumer-bound',
        cause: { type: 'none' },
        figures: { ...figures, nearly: true, mostly: false },
        fix: { type: 'advice' },
        gain: undefined,
      };
    case 'unclear':
      return {
        ...common,
        kind: 'few-batches',
        cause: { type: 'none' },
        figures: { batches: loader.batches },
        fix: { type: 'record', batches: ENOUGH_BATCHES },
        gain: undefined,
      };
  }
}

/** Cores of the whole machine that other programs used, as counted; else what they must have wanted for this one to queue as it did. */
const othersOf = ({ othersUsed, ranks, machine }: LoaderProfile): number => othersUsed ?? ranks * machine.others;

/** Something is used up, or nothing is and the settings leave it unused. */
function causeOf({ loader, profile, choice, coresBusy, storageShare }: JudgedLoader): Cause {
  const usable = loader.evidence.coresUsable;
  const full = (coresBusy + (profile === undefined ? 0 : othersOf(profile))) / usable;
  // What other settings alone would free was not used up.
  const isFull = full >= FULL || choice?.now.bound === 'cores';
  if (isFull && (choice?.factor ?? 1) < BY_SETTINGS)
    return { type: 'hardware', resource: 'cpu', full: share(Math.min(1, full)) };
  if (storageShare !== undefined && storageShare >= STORAGE_FULL)
    return { type: 'hardware', resource: 'storage', full: share(storageShare) };
  return { type: 'software' };
}

/** The choice, where it is worth a change. */
const worthwhile = (choice: LoaderChoice | undefined): LoaderChoice | undefined =>
  choice !== undefined && choice.factor >= LEAST_GAIN && Object.keys(choice.changes).length > 0 ? choice : undefined;

function fixOf({ loader, choice }: JudgedLoader): LoaderFix {
  const better = worthwhile(choice);
  if (better !== undefined) return { type: 'arguments', loader: loader.name, changes: better.changes };
  if (loader.verdict.bound === 'order' && choice?.unordered !== undefined) {
    return { type: 'arguments', loader: loader.name, changes: { in_order: false } };
  }
  return { type: 'advice' };
}

function gainOf({ loader, choice }: JudgedLoader): Gain | undefined {
  const better = worthwhile(choice);
  const to = better?.best ?? (loader.verdict.bound === 'order' ? choice?.unordered : undefined);
  if (to === undefined || choice === undefined) return undefined;
  return gainTo(to.rate, choice);
}

const gainTo = ({ estimate, low, high }: Interval, { now }: LoaderChoice): Gain => {
  const factor = estimate / now.rate.estimate;
  // Two runs differ independently: relative errors of a ratio add up as squares do.
  const spread = (one: number, other: number): number => Math.exp(Math.hypot(Math.log(one), Math.log(other)));
  return {
    rate: elementsPerSecond(estimate),
    factor,
    low: elementsPerSecond(low),
    high: elementsPerSecond(high),
    factorBand: {
      low: factor / spread(estimate / low, now.rate.high / now.rate.estimate),
      high: factor * spread(high / estimate, now.rate.estimate / now.rate.low),
    },
  };
};

function doubtsOf({ profile }: JudgedLoader): LoaderDoubt[] {
  if (profile === undefined) return [];
  return [
    ...(othersOf(profile) > 0.2 * profile.ranks * profile.machine.cores ? (['busy-machine'] as const) : []),
    ...(profile.handOver.isGuessed ? (['guessed'] as const) : []),
    ...(profile.preparing.length < 20 ? (['few-batches'] as const) : []),
  ];
}

const beside = (loader: LoaderSummary) =>
  ({ limits: false, cause: { type: 'software' }, operators: [loader.name], doubts: [], gain: undefined }) as const;

/** Part of the time it wants a core that preparation queues for one, over the batches whose CPU was read. */
function queuedShare({ cpu, runDelay }: LoaderSummary): number {
  const wanted = cpu.mean + runDelay.mean;
  return wanted > 0 ? runDelay.mean / wanted : 0;
}

/** Who sleeps and wants a core for a moment may queue for most of that moment; it matters as far as batches take longer. */
function coresShort({ loader, profile }: JudgedLoader): LoaderFinding | undefined {
  const queued = queuedShare(loader);
  if (!(queued > QUEUED && loader.runDelay.mean > HARDLY_QUEUED * loader.preparation.mean)) return undefined;
  return {
    ...beside(loader),
    kind: 'cores-short',
    cause: { type: 'hardware', resource: 'cpu', full: share(1) },
    figures: {
      queued: share(queued),
      others: profile?.othersUsed === undefined ? undefined : cores(profile.othersUsed),
      coresUsable: cores(loader.evidence.coresUsable),
    },
    fix: { type: 'advice' },
  };
}

/** Steps of one thread take longer alone, and go on beside busy workers. What that gains is for a trial to say. */
function stepsCrowded({ loader, profile, choice }: JudgedLoader): LoaderFinding | undefined {
  if (profile === undefined || choice === undefined || choice.best.setting.workers === 0) return undefined;
  const threads = mean(profile.steps.map(step => step.threads));
  if (threads < TEAM || profile.steps.some(({ device }) => device > 0)) return undefined;
  const single = {
    ...profile,
    steps: profile.steps.map(step => ({
      ...step,
      cpu: (step.cpu * step.threads) / step.crowding,
      threads: 1,
      crowding: 1,
    })),
  };
  const rate = forecastLoader(single, choice.best.setting, choice.whatIf).rate.estimate;
  if (rate < WORTH_A_VARIABLE * choice.best.rate.estimate) return undefined;
  return {
    ...beside(loader),
    kind: 'steps-crowded',
    figures: { threads, coresUsable: cores(loader.evidence.coresUsable) },
    fix: { type: 'advice' },
  };
}

function memoryShort({ loader, choice }: JudgedLoader): LoaderFinding | undefined {
  const what = choice?.heldBackBy;
  if (choice === undefined || (what !== 'memory' && what !== 'shared-memory')) return undefined;
  const { sharedMemory, workers } = choice.most.memory;
  return {
    ...beside(loader),
    kind: 'memory-short',
    cause: { type: 'hardware', resource: 'memory', full: share(1) },
    figures: { what, wanted: bytes(what === 'memory' ? sharedMemory + workers : sharedMemory) },
    fix: { type: 'advice' },
    gain: gainTo(choice.most.rate, choice),
  };
}

/** Workers that persist spare it, where it is their start; else it is what the dataset does first. */
function startBound(
  judged: JudgedLoader,
  common: Pick<LoaderFindingOf<'start-bound'>, 'limits' | 'operators' | 'doubts'> & { readonly figures: WaitFigures },
): LoaderFinding {
  const { evidence, passes } = judged.loader;
  const whole = evidence.wait + evidence.consume + evidence.firstWait;
  const isChosen = worthwhile(judged.choice)?.changes.persistent_workers === true;
  const chosen = isChosen ? { fix: fixOf(judged), gain: gainOf(judged) } : startOf(judged);
  const { fix, gain } = chosen ?? { fix: { type: 'advice' } as const, gain: undefined };
  return {
    ...common,
    kind: 'start-bound',
    cause: { type: 'software' },
    figures: {
      ...common.figures,
      start: ns(evidence.start / Math.max(1, passes.length)),
      ofPass: share(whole > 0 ? evidence.start / whole : 0),
    },
    fix,
    gain,
  };
}

/** As the verdict it is not said twice. */
const workerStart = (judged: JudgedLoader): LoaderFinding | undefined =>
  judged.loader.verdict.bound === 'start' ? undefined : startOf(judged);

function startOf({ loader, profile, choice }: JudgedLoader): LoaderFindingOf<'worker-start'> | undefined {
  const { passes, firstWaits, settings, workers, preparation } = loader;
  if (workers === 0 || passes.length < 2 || settings?.persistent_workers === true) return undefined;
  const lasted = passes.reduce((sum, pass) => sum + pass.end - pass.start, 0) / passes.length;
  const start = Math.max(0, firstWaits.mean - preparation.mean);
  if (start < START * lasted) return undefined;
  const changes: LoaderChanges = { persistent_workers: true };
  // The first start is paid all the same, so what is spared is for the forecast to say.
  const staying = profile && forecastLoader(profile, { ...profile.setting, persistent: true }, choice?.whatIf);
  return {
    ...beside(loader),
    kind: 'worker-start',
    figures: { start: ns(start), ofPass: share(start / lasted) },
    fix: { type: 'arguments', loader: loader.name, changes },
    gain: staying === undefined || choice === undefined ? undefined : gainTo(staying.rate, choice),
  };
}

function slowElements({ loader }: JudgedLoader): LoaderFinding | undefined {
  // Who queues for a core looks slow without being it.
  if (queuedShare(loader) > HARDLY_QUEUED) return undefined;
  const typical = loader.operators.find(({ traits }) => traits.fetches)?.p50;
  const slow = loader.slowest.filter(({ duration }) => typical !== undefined && duration > SLOW * typical);
  const [slowest] = slow;
  if (typical === undefined || slowest === undefined) return undefined;
  return {
    ...beside(loader),
    kind: 'slow-elements',
    figures: { slowest: ns(slowest.duration), typical, names: slow.slice(0, SLOWEST_NAMED).map(({ name }) => name) },
    fix: { type: 'advice' },
  };
}

/** Keeping what is the same in every pass spares its part of the preparation. */
function repeated({ loader, profile, choice }: JudgedLoader): LoaderFinding | undefined {
  const found = repeatedWork(loader.operators);
  if (found === undefined || found.share < REPEATED || profile === undefined || choice === undefined) return undefined;
  if (loader.verdict.bound !== 'preparation' || loader.settings?.stream === true) return undefined;
  const cheaper = {
    ...profile,
    preparing: profile.preparing.map(each => ({ ...each, cpu: each.cpu * (1 - found.share) })),
  };
  const { rate } = forecastLoader(cheaper, choice.best.setting, choice.whatIf);
  if (rate.estimate < LEAST_GAIN * choice.best.rate.estimate) return undefined;
  return {
    ...beside(loader),
    kind: 'repeated',
    operators: [loader.name, ...found.operators],
    figures: { until: found.until, share: found.share as Share, elements: loader.settings?.length ?? 0 },
    fix: { type: 'advice' },
    gain: gainTo(rate, choice),
  };
}

function unpinned({ loader, profile, accelerator }: JudgedLoader): LoaderFinding | undefined {
  if (accelerator !== 'cuda' || loader.settings?.pin_memory !== false) return undefined;
  if (profile === undefined || !(profile.batchBytes >= WORTH_PINNING)) return undefined;
  return {
    ...beside(loader),
    kind: 'unpinned',
    figures: { accelerator, batch: bytes(profile.batchBytes) },
    fix: { type: 'arguments', loader: loader.name, changes: { pin_memory: true } },
  };
}

function passesDiffer({ loader }: JudgedLoader): LoaderFinding | undefined {
  const clear = loader.passes.filter(({ verdict }) => verdict.bound !== 'unclear');
  const [first, ...later] = clear;
  const other = later.find(({ verdict }) => verdict.bound !== first?.verdict.bound);
  if (first === undefined || other === undefined) return undefined;
  return {
    ...beside(loader),
    kind: 'passes-differ',
    figures: { first: first.verdict.bound, later: other.verdict.bound },
    fix: { type: 'advice' },
  };
}
