import type { Cost, PipelineCosts, TransferCosts } from '../../model/pipeline-costs.ts';
import { NS_PER_SECOND } from '../../model/units.ts';
import { heading, paragraph } from '../blocks.ts';
import { figures, names, table } from '../columns.ts';
import { byteRate, byteSize, count, decimal, percent, plural, preciseTime, time } from '../format.ts';
import type { CostsReport } from '../results/costs.ts';
import type { Report, TableBlock } from '../tree.ts';

/** Costs of bytes are shown for so many: of one it is a part of a nanosecond. */
const KILOBYTE = 1000;

type CostTerm = Exclude<keyof TransferCosts, 'residuals'>;

/** What handing on costs, by what is in it. */
const TERMS = [
  ['a chunk', 'cpuNsPerChunk', 1],
  ['an element', 'cpuNsPerElement', 1],
  ['1 kB', 'cpuNsPerByte', KILOBYTE],
  ['a typed array', 'cpuNsPerArray', 1],
  ['an object or text', 'cpuNsPerObject', 1],
] as const satisfies readonly (readonly [string, CostTerm, number])[];

const CONTENTS = ['numbers', 'objects', 'arrays'] as const;

/** `1.1 (0.8 to 1.5)`. */
const spreadOf = ({ median, low, high }: Cost): string => `${decimal(median)} (${decimal(low)} to ${decimal(high)})`;

/** `3.20 µs (3.01 µs to 4.10 µs)`. */
const withSpread = ({ median, low, high }: Cost, times = 1): string =>
  `${preciseTime(median * times)} (${preciseTime(low * times)} to ${preciseTime(high * times)})`;

/** Line one: what handing on costs, and what memory gives. */
export function costsReport({ costs }: CostsReport): Report {
  const { send, receive, measured, memory } = costs;
  const both = (term: CostTerm): number => send[term].median + receive[term].median;
  const most = memory.reduce((best, point) =>
    point.bytesPerSecond.median > best.bytesPerSecond.median ? point : best,
  );
  return [
    {
      type: 'verdict',
      text: `Handing on takes ${time(both('cpuNsPerElement'))} of CPU an element, ${time(both('cpuNsPerByte') * KILOBYTE)} a kB and ${time(both('cpuNsPerArray'))} a typed array; memory gives ${byteRate(most.bytesPerSecond.median)} to ${plural(most.threads, 'thread')}`,
    },
    heading('handing on', 'CPU of each side'),
    handingOn(costs),
    paragraph(
      `Residuals, measured / sum of these terms: ${CONTENTS.map(kind => `${kind} ${spreadOf(send.residuals[kind])} for the sender, ${spreadOf(receive.residuals[kind])} for the receiver`).join('; ')}`,
      'muted',
    ),
    heading('lanes and memory'),
    {
      type: 'facts',
      items: [
        { label: 'waking a lane', value: withSpread(costs.wake.delayNs), note: 'until it goes on' },
        { label: 'CPU for who wakes it', value: withSpread(costs.wake.wakerCpuNs) },
        { label: 'CPU for itself', value: withSpread(costs.wake.sleeperCpuNs) },
        { label: 'starting a lane', value: withSpread(costs.start.cpuNs), note: 'of CPU' },
        {
          label: 'a pipeline that starts',
          value: withSpread(costs.start.delayNs),
          note: 'until its first element comes out',
        },
        {
          label: 'a fresh page',
          value: withSpread(costs.freshPage.cpuNs),
          note: `of ${byteSize(costs.freshPage.bytes)}`,
        },
        {
          label: 'collecting an array',
          value: withSpread(costs.collectCpuNsPerArray),
          note: "of the runtime's threads",
        },
      ],
    },
    busyThreads(costs),
    paragraph(
      [
        `Measured ${measured.at} in ${time(measured.seconds * NS_PER_SECOND)}: medians of ${plural(measured.rounds, 'round')} at least, with the lowest and the highest`,
        ...(measured.busyShare === undefined ? [] : [`others used ${percent(measured.busyShare)} of the cores`]),
        ...(measured.clock === 'wall' ? ['by the wall clock, since nothing tells the CPU of a thread here'] : []),
      ].join('; '),
      'muted',
    ),
  ];
}

const handingOn = ({ send, receive }: PipelineCosts): TableBlock =>
  table(TERMS, [
    names('of', ([title]) => title),
    figures('sender', ([, term, times]) => withSpread(send[term], times)),
    figures('receiver', ([, term, times]) => withSpread(receive[term], times)),
  ]);

function busyThreads({ memory, compute }: PipelineCosts): TableBlock {
  const alone = memory[0]?.bytesPerSecond.median ?? Number.NaN;
  return table(memory, [
    figures('busy threads', ({ threads }) => count(threads)),
    figures('memory copied', ({ bytesPerSecond }) => byteRate(bytesPerSecond.median)),
    figures('of one thread times so many', ({ threads, bytesPerSecond }) =>
      percent(bytesPerSecond.median / (alone * threads)),
    ),
    figures('arithmetic per CPU second', ({ threads }) =>
      percent(compute.find(point => point.threads === threads)?.independent.median),
    ),
    figures('in a chain', ({ threads }) => percent(compute.find(point => point.threads === threads)?.chained.median)),
  ]);
}
