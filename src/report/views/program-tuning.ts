import { changesText } from '../../model/loader-changes.ts';
import { paragraph } from '../blocks.ts';
import { figures, names, optional, table } from '../columns.ts';
import { rate } from '../format.ts';
import { rateRange } from '../intervals.ts';
import type { TuneProgramResult } from '../results/program-tuning.ts';
import type { Block, Report, TableBlock } from '../tree.ts';
import { editBlocks } from './loader-diagnosis.ts';
import { besideOthers } from './run-words.ts';

/** Line one: the gain; line two: the changes; then forecasts against measurements. `directory`: the reader's working directory. */
export function programTuningReport(result: TuneProgramResult, directory: string): Report {
  const { loader, before, best, trials, location } = result;
  const blocks: Block[] = [];
  const beside = besideOthers(result.othersBusy, result.coresUsable);
  if (best === undefined) {
    blocks.push({
      type: 'verdict',
      text: `${beside}${beside === '' ? 'N' : 'n'}othing to change about ${loader}, at ${rate(before.estimate)}: ${whyUnchanged(result)}`,
    });
  } else {
    blocks.push(
      {
        type: 'verdict',
        text: `${beside}${loader} delivers ${rate(best.measured.estimate)} instead of ${rate(before.estimate)}: ${times(best.gain.estimate)} times as much (${times(best.gain.low)} to ${times(best.gain.high)})`,
        fix: `${changesText(best.changes)}${location === undefined ? '' : ` (${location})`}`,
      },
      ...editBlocks(result.edit, directory),
    );
  }
  if (trials.length > 0) blocks.push(trialTable(result));
  blocks.push(...result.plan.refused.map(({ message }) => paragraph(message, 'warn')));
  if (result.recordings.length > 0) {
    blocks.push(paragraph(`recorded in ${result.recordings.join(', ')}`, 'muted'));
  }
  return blocks;
}

/** Why the loader is left as it is. */
function whyUnchanged({ unchanged, trials }: TuneProgramResult): string {
  const [best] = trials.toSorted((a, b) => b.gain.estimate - a.gain.estimate);
  if (best === undefined) return 'no other setting promises more';
  const { estimate, low, high } = best.gain;
  const came = `the best that was tried was ${times(estimate)} times as fast (${times(low)} to ${times(high)})`;
  return unchanged === 'not-certain'
    ? `${came}, within the variation between runs; more batches may tell: --batches 400`
    : came;
}

function trialTable({ before, now, trials }: TuneProgramResult): TableBlock {
  const asItIs = { name: 'as it is', measured: before, predicted: now, ratio: now.rate.estimate / before.estimate };
  const tried = trials.map(({ changes, measured, predicted, ratio }) => ({
    name: changesText(changes),
    measured,
    predicted,
    ratio: ratio.estimate,
  }));
  return table(
    [asItIs, ...tried],
    [
      names('setting', ({ name }) => name),
      figures('measured', ({ measured }) => rate(measured.estimate)),
      optional(figures('spread', ({ measured }) => rateRange(measured))),
      figures('forecast', ({ predicted }) => rate(predicted.rate.estimate)),
      optional(figures('band', ({ predicted }) => rateRange(predicted.rate))),
      figures('forecast / measured', ({ ratio }) => times(ratio)),
    ],
  );
}

const times = (value: number): string => (Number.isNaN(value) ? '–' : value.toFixed(2));
