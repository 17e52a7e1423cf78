import { count, decimal, percent, preciseTime, rate } from '../format.ts';
import type { SearchedCalls } from '../results/tuning.ts';
import type { Block } from '../tree.ts';

/** What calls of an async function came to, so many of them at once, and why no more were tried. */
export function callBlocks({ operator, tried, taken, end }: SearchedCalls, label: (id: string) => string): Block[] {
  const words = endWords(tried, end);
  return [
    { type: 'heading', text: `Calls of ${label(operator)}`, note: 'in each lane; tried before anything else' },
    {
      type: 'table',
      columns: [
        { title: 'at once', align: 'right' },
        { title: 'elements/s', align: 'right' },
        { title: 'a call takes', align: 'right' },
        { title: 'under way', align: 'right' },
        { title: 'failed', align: 'right' },
      ],
      rows: tried.map(({ concurrency, rate: measured, callTime, underWay, failed }, at) => [
        `${concurrency === taken ? '→ ' : ''}${count(concurrency)}${at === 0 ? ' (as it is)' : ''}`,
        rate(measured),
        preciseTime(callTime * 1e9),
        decimal(underWay),
        percent(failed),
      ]),
    },
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
