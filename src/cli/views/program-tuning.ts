import type { LoaderForecast } from '../../prediction/loader/forecast.ts';
import { changesText } from '../../report/findings/loader-changes.ts';
import { rate } from '../../report/format.ts';
import type { Block, Report, TableBlock } from '../../report/tree.ts';
import type { LoaderTrial, MeasuredRate, TuneProgramResult } from '../../workflow/index.ts';
import { editBlocks } from './loader-diagnosis.ts';

/** Line one: what the changes brought; line two: what to write; then forecast against measurement. */
export function programTuningReport(result: TuneProgramResult): Report {
  const { loader, before, best, trials, location } = result;
  const blocks: Block[] = [];
  if (best === undefined) {
    const tried = trials.length === 0 ? 'no other setting promises more' : 'what was tried was no faster';
    blocks.push({
      type: 'verdict',
      text: `${loader} is set about as well as it can be: ${rate(before.estimate)}; ${tried}`,
    });
  } else {
    blocks.push(
      {
        type: 'verdict',
        text: `${loader} delivers ${rate(best.measured.estimate)} instead of ${rate(before.estimate)}: ${times(best.gain)} times as much`,
        fix: `${changesText(best.changes)}${location === undefined ? '' : ` (${location})`}`,
      },
      ...editBlocks(result.edit),
    );
  }
  if (trials.length > 0) blocks.push(trialTable(result));
  const left = best === undefined ? [] : notApplied(best);
  if (left.length > 0) {
    blocks.push({
      type: 'paragraph',
      text: `Left as it was, because it might change what the loader gives: ${left.join(', ')}.`,
      tone: 'warn',
    });
  }
  if (result.recordings.length > 0) {
    blocks.push({ type: 'paragraph', text: `recorded in ${result.recordings.join(', ')}`, tone: 'muted' });
  }
  return blocks;
}

function trialTable({ before, now, trials }: TuneProgramResult): TableBlock {
  const band = ({ rate: { low, high } }: LoaderForecast): string => `${rate(low)} to ${rate(high)}`;
  return {
    type: 'table',
    columns: [
      { title: 'setting', align: 'left' },
      { title: 'measured', align: 'right' },
      { title: 'spread', align: 'right', optional: true },
      { title: 'forecast', align: 'right' },
      { title: 'band', align: 'right', optional: true },
      { title: 'forecast / measured', align: 'right' },
    ],
    rows: [
      [
        'as it is',
        rate(before.estimate),
        spread(before),
        rate(now.rate.estimate),
        band(now),
        times(now.rate.estimate / before.estimate),
      ],
      ...trials.map(({ changes, measured, predicted, ratio }) => [
        changesText(changes),
        rate(measured.estimate),
        spread(measured),
        rate(predicted.rate.estimate),
        band(predicted),
        times(ratio.estimate),
      ]),
    ],
  };
}

const times = (value: number): string => value.toFixed(2);

const spread = ({ low, high }: MeasuredRate): string => `${rate(low)} to ${rate(high)}`;

function notApplied({ changes, applied }: LoaderTrial): string[] {
  const had: Readonly<Record<string, unknown>> = { ...applied };
  return Object.entries(changes)
    .filter(([name, value]) => had[name] !== value)
    .map(([name]) => name);
}
