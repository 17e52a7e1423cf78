import { type Advice, advise, mostWaitedFor } from '../../analysis/batches/advice.ts';
import type { LoaderSummary } from '../../analysis/batches/summary.ts';
import type { Bound } from '../../analysis/batches/verdict.ts';
import { machineOf } from '../../model/host.ts';
import { stake } from '../findings/loader-words.ts';
import { batchCount, coreCount, decimal, percent, rate, time } from '../format.ts';
import type { RunInfo } from '../results/run-info.ts';
import type { VerdictBlock } from '../tree.ts';
import { rankWords } from './loader-ranks.ts';

const waits = (loader: LoaderSummary): string =>
  `waits ${percent(loader.verdict.waitShare)} of the time${rankWords(loader)}`;
const stakeOf = ({ cost }: LoaderSummary): string => stake(cost.lostOfProgram);

const SAID: Readonly<Record<Bound, (loader: LoaderSummary) => string>> = {
  preparation: loader => `${loader.name} is limited by preparation: its consumer ${waits(loader)}${stakeOf(loader)}`,
  order: loader =>
    `${loader.name} is held up by order: its consumer ${waits(loader)}, mostly while later batches are ready${stakeOf(loader)}`,
  transfer: loader =>
    `${loader.name} is limited by handing batches over: its consumer ${waits(loader)} for batches that are prepared${stakeOf(loader)}`,
  start: loader =>
    `${loader.name} is held up by the start of each pass: its first batch is waited for ${time(loader.firstWaits.mean)}${stakeOf(loader)}`,
  consumer: loader =>
    loader.verdict.workersWanted === undefined
      ? `${loader.name} keeps up: its consumer ${waits(loader)}, and is the limit itself`
      : `mostly the consumer is the limit, not ${loader.name}: it ${waits(loader)} for preparation${stakeOf(loader)}`,
  balanced: loader => `${loader.name} nearly keeps up: its consumer ${waits(loader)}${stakeOf(loader)}`,
  unclear: ({ name, batches }) => `${name} gave ${batchCount(batches)}: too few to say what limits it`,
};

/** Line one of a run with DataLoaders. */
export function loaderHeadline(info: RunInfo): string {
  const state = info.complete ? (info.status === 'completed' ? '' : ` (${info.status})`) : ' (incomplete)';
  const loader = mostWaitedFor(info.batches?.loaders ?? []);
  if (loader === undefined) return `${info.name}${state}: no batch was recorded`;
  const { totals, manifest } = info;
  return (
    `${info.name}${state}: ${SAID[loader.verdict.bound](loader)}; ${rate(loader.elementsPerSecond)}, ` +
    `${decimal(totals.coresBusy)} of ${coreCount(machineOf(manifest).coresUsable)} busy`
  );
}

export function loaderVerdict(info: RunInfo): VerdictBlock {
  const loader = mostWaitedFor(info.batches?.loaders ?? []);
  const advice = loader && advise(loader);
  return {
    type: 'verdict',
    text: loaderHeadline(info),
    ...(loader === undefined || advice === undefined ? {} : { fix: fixOf(loader, advice) }),
  };
}

function fixOf(loader: LoaderSummary, advice: Advice): string {
  const { evidence } = loader;
  const where = loader.location === undefined ? '' : ` (${loader.location})`;
  switch (advice.change) {
    case 'workers':
      return (
        `${loader.name}: num_workers=${advice.to} instead of ${advice.from}${where}: a batch takes ` +
        `${time(evidence.preparationPerBatch)} to prepare and ${time(evidence.consumePerBatch)} to consume`
      );
    case 'cores':
      return `more cores, or fewer other programs: ${percent(advice.part)} of the preparation is waiting for a core`;
    case 'cheaper': {
      const heaviest =
        advice.operator === undefined ? '' : `: ${advice.operator} has ${percent(advice.part)} of the work`;
      return `there is a worker for every core: make the preparation cheaper${heaviest}`;
    }
    case 'order':
      return `${loader.name}: in_order=False (torch 2.6 or newer), or a larger prefetch_factor${where}`;
    case 'persist':
      return `${loader.name}: persistent_workers=True${where}: workers are started anew for every pass`;
    case 'unpin':
      return `${loader.name}: pin_memory=False${where}: pinning takes longer than sending`;
    case 'larger':
      return (
        `${loader.name}: a larger batch_size, or num_workers=0${where}: handing a batch over takes ` +
        `${time(advice.handOverPerBatch)}, preparing it ${time(evidence.preparationPerBatch)}`
      );
    case 'smaller':
      return `${loader.name}: send less: smaller types, and nothing that the consumer does not use${where}`;
  }
}
