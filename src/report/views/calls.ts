import { NS_PER_SECOND } from '../../model/units.ts';
import { heading, paragraph } from '../blocks.ts';
import { figures, table } from '../columns.ts';
import { count, decimal, percent, preciseTime, rate } from '../format.ts';
import type { Label } from '../labels.ts';
import type { SearchedCalls } from '../results/tuning.ts';
import type { Block } from '../tree.ts';

/** Throughput and latency of an async function by its concurrency, and why the search ended. */
export function callBlocks({ operator, tried, taken, end }: SearchedCalls, label: Label): Block[] {
  const words = endWords(tried, end);
  return [
    heading(`Calls of ${label(operator)}`, 'concurrency: calls in flight per lane; tried before other changes'),
    table(tried, [
      figures(
        'concurrency',
        ({ concurrency }, at) =>
          `${concurrency === taken ? '→ ' : ''}${count(concurrency)}${at === 0 ? ' (as it is)' : ''}`,
      ),
      figures('elements/s', trial => rate(trial.rate)),
      figures('latency', ({ callTime }) => preciseTime(callTime * NS_PER_SECOND)),
      figures('in flight', ({ underWay }) => decimal(underWay)),
      figures('failed', ({ failed }) => percent(failed)),
    ]),
    ...(words === '' ? [] : [paragraph(words, 'muted')]),
  ];
}

function endWords(tried: SearchedCalls['tried'], end: SearchedCalls['end']): string {
  const most = Math.max(...tried.map(({ rate: measured }) => measured));
  switch (end) {
    case 'saturated':
      return `More concurrent calls only increase their latency: the service is saturated at ${rate(most)}.`;
    case 'refused':
      return 'More concurrent calls fail.';
    case 'no-more':
      return 'More concurrent calls gain nothing, at the same latency: the bottleneck is elsewhere now.';
    case 'most':
      return 'More concurrent calls were not tried: the saturation of the service was not observed.';
    case undefined:
      return '';
  }
}
