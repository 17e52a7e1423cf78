import type { Distribution } from '../../analysis/batches/distribution.ts';
import type { BatchSummary, LoaderSummary } from '../../analysis/batches/summary.ts';
import { WAIT_PARTS, type WaitPart } from '../../analysis/batches/wait-split.ts';
import { batchCount, byteSize, count, percent, precisePercent, preciseTime, time } from '../format.ts';
import type { Block, FactsBlock, GraphBlock, TableBlock } from '../tree.ts';

/** T1, T2 and their kin: one row per thing that happens to every batch. */
export function batchTable(loader: LoaderSummary): TableBlock {
  const rows: readonly (readonly [string, Distribution])[] = [
    ['preparation (T1)', loader.preparation],
    ['  CPU of it', loader.cpu],
    ['  waiting for a core', loader.runDelay],
    ['wait (T2)', loader.wait],
    ['delay', loader.delay],
    [consumptionName(loader), loader.consume],
    ['  on the device', loader.deviceStep],
    ['  device without work', loader.deviceWait],
  ];
  return {
    type: 'table',
    columns: [
      { title: 'per batch', align: 'left' },
      { title: 'mean', align: 'right' },
      { title: 'deviation', align: 'right', optional: true },
      { title: 'p50', align: 'right' },
      { title: 'p90', align: 'right' },
      { title: 'p99', align: 'right' },
      { title: '<10 ms', align: 'right', optional: true },
      { title: '<100 µs', align: 'right', optional: true },
    ],
    rows: rows
      .filter(([, times]) => times.count > 0)
      .map(([name, times]) => [
        name,
        preciseTime(times.mean),
        preciseTime(times.deviation),
        preciseTime(times.p50),
        preciseTime(times.p90),
        preciseTime(times.p99),
        percent(times.below10ms),
        percent(times.below100us),
      ]),
  };
}

/** Where a device works on after the host has gone on, the host's figure is the least a step can have taken. */
function consumptionName({ accelerator, deviceStep }: LoaderSummary): string {
  if (deviceStep.count > 0) return 'consumption (host)';
  return accelerator === undefined ? 'consumption' : 'consumption, at least';
}

const WAITED_FOR: Readonly<Record<WaitPart, string>> = {
  notBegun: 'not begun: no worker had taken it up',
  preparing: 'being prepared',
  behindOthers: 'prepared, behind other batches',
  transfer: 'prepared, in transfer',
  pinning: 'being pinned',
  queued: 'pinned, in the queue',
  rest: 'arrived, being handed out',
  forCore: 'prepared, its consumer queued for a core',
};

export function waitTable({ waitSplit }: LoaderSummary): TableBlock {
  const whole = WAIT_PARTS.reduce((sum, part) => sum + waitSplit[part], 0);
  return {
    type: 'table',
    columns: [
      { title: 'the batch waited for was', align: 'left' },
      { title: 'time', align: 'right' },
      { title: 'of the wait', align: 'right' },
    ],
    rows: WAIT_PARTS.filter(part => waitSplit[part] > 0).map(part => [
      WAITED_FOR[part],
      preciseTime(waitSplit[part]),
      precisePercent(whole > 0 ? waitSplit[part] / whole : 0),
    ]),
  };
}

export function lateTable({ late }: LoaderSummary): TableBlock {
  return {
    type: 'table',
    columns: [
      { title: 'batches', align: 'left' },
      ...late.map(({ longerThan }) => ({ title: `> ${time(longerThan)}`, align: 'right' as const })),
    ],
    rows: [
      ['waited for', ...late.map(({ waits }) => percent(waits))],
      ['lay ready', ...late.map(({ delays }) => percent(delays))],
    ],
  };
}

export function operatorTimes({ operators }: LoaderSummary): TableBlock {
  return {
    type: 'table',
    columns: [
      { title: 'operator (T3)', align: 'left' },
      { title: 'mean', align: 'right' },
      { title: 'p50', align: 'right' },
      { title: 'p90', align: 'right' },
      { title: 'p99', align: 'right' },
      { title: '<10 ms', align: 'right', optional: true },
      { title: '<100 µs', align: 'right', optional: true },
      { title: 'of the work', align: 'right' },
      { title: 'timed', align: 'right', optional: true },
    ],
    rows: operators.map(row => [
      row.operator,
      preciseTime(row.mean),
      preciseTime(row.p50),
      preciseTime(row.p90),
      preciseTime(row.p99),
      percent(row.below10ms),
      percent(row.below100us),
      precisePercent(row.share),
      count(row.timed),
    ]),
  };
}

/** The way of an element, with each operator's part of the work. */
export function loaderGraphBlock({ operators, name, workers }: LoaderSummary): GraphBlock {
  const most = Math.max(...operators.map(row => row.share));
  return {
    type: 'graph',
    nodes: operators.map((row, at) => ({
      id: `${name}/${row.operator}`,
      label: row.operator,
      inputs: at === 0 ? [] : [`${name}/${operators[at - 1]?.operator}`],
      share: row.share,
      figure: time(row.mean),
      emphasis: row.share === most,
    })),
    groups: [
      {
        nodes: operators.map(row => `${name}/${row.operator}`),
        label: workers === 0 ? 'no workers' : `${workers} ${workers === 1 ? 'worker' : 'workers'}`,
      },
    ],
    edges: [],
  };
}

export function loaderFacts(loader: LoaderSummary): FactsBlock {
  const { firstWaits, idleShare, outOfOrder, batches, unconsumed, workerMemory } = loader;
  return {
    type: 'facts',
    items: [
      { label: 'elements', value: count(loader.elements), note: `in ${batchCount(batches)}` },
      ...(unconsumed > 0
        ? [{ label: 'never asked for', value: count(unconsumed), note: 'batches that were ordered' }]
        : []),
      {
        label: 'out of order',
        value: count(outOfOrder),
        note: batches > 0 ? `batches, ${percent(outOfOrder / batches)}, came before one ordered earlier` : '',
      },
      {
        label: 'first wait of a pass',
        value: time(firstWaits.mean),
        note: loader.workers === 0 ? 'the first batch is prepared' : 'workers start, and the first batch is prepared',
      },
      ...(idleShare === undefined
        ? []
        : [{ label: 'workers idle', value: percent(idleShare), note: 'of their time, because nothing was ordered' }]),
      ...(workerMemory === undefined
        ? []
        : [{ label: 'memory of a worker', value: byteSize(workerMemory), note: 'at most' }]),
    ],
  };
}

export function slowestTable({ slowest }: LoaderSummary): TableBlock {
  return {
    type: 'table',
    columns: [
      { title: 'time', align: 'right' },
      { title: 'element', align: 'left' },
    ],
    rows: slowest.map(element => [preciseTime(element.duration), element.name]),
  };
}

/** What was done to data before any loader, and the space in which batches travel between processes. */
export function besideLoaders({ ahead, sharedSpace }: BatchSummary): Block[] {
  const rows = ahead.map(span => [span.name, preciseTime(span.end - span.start)]);
  return [
    ...(rows.length === 0
      ? []
      : [
          { type: 'heading', text: 'Ahead of the loaders', note: 'done at once, or found in a cache' } as const,
          {
            type: 'table',
            columns: [
              { title: 'work', align: 'left' },
              { title: 'time', align: 'right' },
            ],
            rows,
          } as const,
        ]),
    ...(sharedSpace === undefined || sharedSpace.present === 0
      ? []
      : [
          {
            type: 'facts',
            items: [
              {
                label: 'shared memory',
                value: byteSize(sharedSpace.used),
                note: `taken at most, by all programs, of ${byteSize(sharedSpace.present)} in /dev/shm`,
              },
            ],
          } as const,
        ]),
  ];
}

/** The first pass, which finds caches cold, and the latest. */
const MOST_PASSES = 12;
const shownPasses = (passes: LoaderSummary['passes']) =>
  passes
    .map((pass, at) => ({ pass, at }))
    .filter(({ at }) => passes.length <= MOST_PASSES || at === 0 || at > passes.length - MOST_PASSES);

const BARS = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'] as const;

export function passTable({ passes }: LoaderSummary): TableBlock {
  return {
    type: 'table',
    columns: [
      { title: 'pass', align: 'right' },
      { title: 'batches', align: 'right' },
      { title: 'took', align: 'right' },
      { title: 'waiting', align: 'right' },
      { title: 'limited by', align: 'left' },
      { title: 'waiting over time', align: 'left', optional: true },
    ],
    rows: shownPasses(passes).map(({ pass, at }) => [
      count(at + 1),
      count(pass.batches),
      preciseTime(pass.end - pass.start),
      precisePercent(pass.verdict.waitShare),
      pass.verdict.bound,
      pass.windows.map(window => BARS[Math.min(BARS.length - 1, Math.floor(window.waitShare * BARS.length))]).join(''),
    ]),
  };
}
