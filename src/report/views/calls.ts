import { NS_PER_SECOND } from '../../model/units.ts';
import { figures, table } from '../columns.ts';
import { count, decimal, percent, preciseTime, rate } from '../format.ts';
import type { Label } from '../labels.ts';
import type { SearchedCalls } from '../results/tuning.ts';
import type { Block } from '../tree.ts';

/** What calls of an async function came to, so many of them at once, and why no more were tried. */
export function callBlocks({ operator, tried, taken, end }: SearchedCalls, label: Label): Block[] {
  const words = endWords(tried, end);
  return [
    { type: 'heading', text: `Calls of ${label(operator)}`, note: 'in each lane; tried before anything else' },
    table(tried, [
      figures(
        'at once',
        ({ concurrency }, at) =>
          `${concurrency === taken ? '→ ' : ''}${count(concurrency)}${at === 0 ? ' (as it is)' : ''}`,
      ),
      figures('elements/s', trial => rate(trial.rate)),
      figures('a call takes', ({ callTime }) => preciseTime(callTime * NS_PER_SECOND)),
      figures('under way', ({ underWay }) => decimal(underWay)),
      figures('failed', ({ failed }) => percent(failed)),
    ]),
    ...(words === '' ? [] : [{ type: 'paragraph' as const, text: words, tone: 'muted' as const }]),
  ];
}

function endWords(tried: SearchedCalls['tried'], end: SearchedCalls['end']): string {
  const most = Math.max(...tried.map(({ rate: measured }) => measured));
  switch (end) {
    case 'saturated':
      return `More calls at once only take longer each: what answers them gave ${rate(most)} at most.`;
    case 'refused':
      return 'More calls at once fail.';
    case 'no-more':
      return 'More calls at once bring no more, and take no longer: something else is narrow now.';
    case 'most':
      return 'More calls at once were not tried; nobody has seen where what answers them is saturated.';
    case undefined:
      return '';
  }
}
