import { type Advice, advise, mostWaitedFor } from '../../analysis/batches/advice.ts';
import type { LoaderSummary } from '../../analysis/batches/summary.ts';
import type { Bound } from '../../analysis/batches/verdict.ts';
import { decimal, percent, plural, rate, time } from '../../report/format.ts';
import type { VerdictBlock } from '../../report/tree.ts';
import type { RunInfo } from '../../workflow/index.ts';

const SAID: Readonly<Record<Bound, (loader: LoaderSummary) => string>> = {
  preparation: ({ name, verdict }) =>
    `${name} is limited by preparation: its consumer waits ${percent(verdict.waitShare)} of the time`,
  order: ({ name, verdict }) =>
    `${name} is held up by order: its consumer waits ${percent(verdict.waitShare)} of the time, mostly while later batches are ready`,
  transfer: ({ name, verdict }) =>
    `${name} is limited by handing batches over: its consumer waits ${percent(verdict.waitShare)} of the time for batches that are prepared`,
  consumer: ({ name, verdict }) =>
    `${name} keeps up: its consumer waits ${percent(verdict.waitShare)} of the time, and is the limit itself`,
  balanced: ({ name, verdict }) =>
    `${name} nearly keeps up: its consumer waits ${percent(verdict.waitShare)} of the time`,
  unclear: ({ name, batches }) =>
    `${name} gave ${plural(batches, 'batch').replace('batchs', 'batches')}: too few to say what limits it`,
};

/** Line one of a run with DataLoaders. */
export function loaderHeadline(info: RunInfo): string {
  const state = info.complete ? (info.status === 'completed' ? '' : ` (${info.status})`) : ' (incomplete)';
  const loader = mostWaitedFor(info.batches?.loaders ?? []);
  if (loader === undefined) return `${info.name}${state}: no batch was recorded`;
  const { totals, manifest } = info;
  return (
    `${info.name}${state}: ${SAID[loader.verdict.bound](loader)}; ${rate(loader.elementsPerSecond)}, ` +
    `${decimal(totals.coresBusy)} of ${decimal(manifest.host.coresUsable)} cores busy`
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
