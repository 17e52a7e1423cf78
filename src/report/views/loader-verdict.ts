import { mostWaitedFor } from '../../analysis/batches/most-waited-for.ts';
import type { LoaderSummary } from '../../analysis/batches/summary.ts';
import type { Bound } from '../../analysis/batches/verdict.ts';
import { stake } from '../../findings/phrases.ts';
import { machineOf } from '../../model/host.ts';
import { batchCount, percent, rate, time } from '../format.ts';
import type { RunInfo } from '../results/run-info.ts';
import { shellWord } from '../shell-word.ts';
import type { VerdictBlock } from '../tree.ts';
import { rankWords } from './loader-ranks.ts';
import { coresWords, runName } from './run-words.ts';

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
  const loader = mostWaitedFor(info.batches?.loaders ?? []);
  if (loader === undefined) return `${runName(info)}: no batch was recorded`;
  const { totals, manifest } = info;
  return (
    `${runName(info)}: ${SAID[loader.verdict.bound](loader)}; ${rate(loader.elementsPerSecond)}, ` +
    coresWords({ busy: totals.coresBusy, usable: machineOf(manifest).coresUsable })
  );
}

/** A verdict without a fix: changes are forecast by `diagnose`. */
export function loaderVerdict(info: RunInfo): VerdictBlock {
  const loader = mostWaitedFor(info.batches?.loaders ?? []);
  return {
    type: 'verdict',
    text: loaderHeadline(info),
    ...(loader !== undefined && isHeldUp(loader) ? { fix: `venturi diagnose ${shellWord(info.folder)}` } : {}),
  };
}

/** Its consumer waits for it, so that there is something to change. */
const isHeldUp = ({ verdict }: LoaderSummary): boolean =>
  verdict.workersWanted !== undefined || !['consumer', 'balanced', 'unclear'].includes(verdict.bound);
