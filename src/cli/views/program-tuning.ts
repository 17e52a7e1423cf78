import { changesText } from '../../report/findings/loader-changes.ts';
import { percent, rate } from '../../report/format.ts';
import type { Block, Report } from '../../report/tree.ts';
import type { MeasuredRate, TuneProgramResult } from '../../workflow/index.ts';
import { editBlocks } from './loader-diagnosis.ts';

/** Line one: what the changes brought; line two: what to write; then forecast against measurement. */
export function programTuningReport(result: TuneProgramResult): Report {
  const { loader, before, after, predicted, ratio, gain, changes, location } = result;
  if (after === undefined || ratio === undefined || gain === undefined) {
    return [
      {
        type: 'verdict',
        text: `${loader} is set about as well as it can be: ${rate(before.estimate)}; nothing was worth a change`,
      },
    ];
  }
  const off = Math.abs(ratio.estimate - 1);
  const blocks: Block[] = [
    {
      type: 'verdict',
      text: `${loader} delivers ${rate(after.estimate)} instead of ${rate(before.estimate)}: ${times(gain)} times as much`,
      fix: `${changesText(changes)}${location === undefined ? '' : ` (${location})`}`,
    },
    ...editBlocks(result.edit),
    {
      type: 'facts',
      items: [
        { label: 'before', value: rate(before.estimate), note: spread(before) },
        {
          label: 'forecast',
          value: rate(predicted.rate.estimate),
          note: `${rate(predicted.rate.low)} to ${rate(predicted.rate.high)}, from the first recording alone`,
        },
        { label: 'measured', value: rate(after.estimate), note: spread(after) },
        {
          label: 'forecast over measured',
          value: times(ratio.estimate),
          note: `${percent(off)} off; ${times(ratio.low)} to ${times(ratio.high)} over what was measured`,
        },
      ],
    },
  ];
  const left = notApplied(result);
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

const times = (value: number): string => value.toFixed(2);

const spread = ({ low, high, of }: MeasuredRate): string =>
  `${rate(low)} to ${rate(high)} over ${of === 'parts' ? 'parts of the recording' : 'the recordings'}`;

function notApplied({ changes, applied }: TuneProgramResult): string[] {
  const had: Readonly<Record<string, unknown>> = { ...applied };
  return Object.entries(changes)
    .filter(([name, value]) => had[name] !== value)
    .map(([name]) => name);
}
