import { expect, test } from 'vitest';
import { elementsOf, fold, inner, order, span } from '../../analysis/batches/records.fixture.ts';
import { summariseBatches } from '../../analysis/batches/summary.ts';
import { imagesInfo } from '../results/run-info.fixture.ts';
import type { RunInfo } from '../results/run-info.ts';
import { renderText } from '../text.ts';
import { headline, runInfoReport } from './run-info.ts';

const MS = 1e6;

/** Eight batches from one worker: 100 ms to prepare, 20 ms to consume. */
function trainingInfo(): RunInfo {
  const facts = {
    loader: 'train',
    location: 'train.py:42',
    settings: { batch_size: 8, num_workers: 1, prefetch_factor: 2, start_method: 'fork', dataset: 'Images' },
  };
  const main = [span(`facts:${JSON.stringify(facts)}`, 0, 0, 0)];
  const worker = [span('facts:{"operator":"Images.__getitem__","kind":"dataset","location":null}', 0, 0, 0)];
  for (let number = 0; number < 8; number++) {
    const start = number * 100 * MS;
    const ready = start + 100 * MS;
    main.push(
      ...order('train', number, Math.max(0, start - 100 * MS), 7, number),
      span('arrive:train', number, ready + MS, ready + MS),
      span('wait:train', number, number === 0 ? 0 : start + 22 * MS, ready + 2 * MS),
      span('consume:train', number, ready + 2 * MS, ready + 22 * MS),
    );
    worker.push(
      span('idle', number, start, start + MS),
      span('operator:Images.__getitem__', number, start + MS, start + 91 * MS),
      inner('operator:decode', start + 2 * MS, start + 62 * MS),
      span('prepare', number, start, ready),
      elementsOf(8),
    );
  }
  worker.push(span('element:images/0007.jpg', 3, 0, 90 * MS));
  const lanes = [
    { pid: 1, rows: main },
    { pid: 7, rows: worker },
  ];
  return { ...imagesInfo, name: 'train', batches: summariseBatches(fold(lanes).result(), 4), problems: [] };
}

test('line one says who waits for whom, line two what says what to change', () => {
  const [first, second] = renderText(runInfoReport(trainingInfo()), { width: 200 }).split('\n');
  expect(first).toBe(
    "train: train is limited by preparation: its consumer waits 80 % of the time, at most 68 % of the program's time to gain; 77.9/s, 1.9 of 2 cores busy",
  );
  expect(second).toBe(`→ venturi diagnose ${imagesInfo.folder}`);
  expect(headline(trainingInfo())).toBe(first);
});

test('a loader in 80 columns', () => {
  const text = renderText(runInfoReport(trainingInfo()), { width: 80 });
  const from = text.indexOf('\ntrain  DataLoader');
  expect(text.slice(from, text.indexOf('\nTotals'))).toMatchInlineSnapshot(`
    "
    train  DataLoader over Images
    batch_size 8 · num_workers 1 · prefetch_factor 2 · fork · train.py:42

      elements                  64  in 8 batches
      out of order               0  batches, 0 %, arrived before an earlier one
      first wait of a pass  102 ms  workers start, and the first batch is prepared
      workers idle           1.0 %  of their time, because no batch was requested

    Batches  delay: from prepared until the consumer has it
      per batch            mean  deviation      p50      p90      p99  <10 ms
      preparation (T1)   100 ms        0 s   100 ms   100 ms   100 ms     0 %
      wait (T2)         82.8 ms    7.78 ms  80.0 ms  86.6 ms   100 ms     0 %
      delay             2.00 ms        0 s  2.00 ms  2.00 ms  2.00 ms   100 %
      consumption       20.0 ms        0 s  20.0 ms  20.0 ms  20.0 ms     0 %
      not shown here: <100 µs

    Waiting
      state of the awaited batch     time   share
      being prepared               646 ms  97.6 %
      prepared, in transfer       8.00 ms   1.2 %
      arrived, being handed out   8.00 ms   1.2 %

    Preparation  share of the total, and time per element
      ● Images.__getitem__ ██████████▍                      33.3 %  90 ms ╮ 1 worker
      ◆ decode             ████████████████████▋            66.7 %  60 ms ╯

      operator (T3)         mean      p50      p90      p99  <10 ms  <100 µs   share
      Images.__getitem…  90.0 ms  90.0 ms  90.0 ms  90.0 ms     0 %      0 %  33.3 %
      decode             60.0 ms  60.0 ms  60.0 ms  60.0 ms     0 %      0 %  66.7 %
      not shown here: timed

    Slowest elements
         time  element
      90.0 ms  images/0007.jpg

    Passes  the first and the latest; waiting without the first batch of each
      pass  batches  duration  waiting  limited by   waiting over time
         1        8    822 ms   80.0 %  preparation  ▇▇
    "
  `);
});

/** Loaders without workers, each over so many batches in a process of its own, which say what rank they are. */
function serialInfo(
  ...loaders: readonly { name: string; pid: number; batches: number; wait: number; step: number }[]
): RunInfo {
  const lanes = loaders.map(({ name, pid, batches, wait, step }) => {
    const rows = [span(`facts:{"process":{"pid":${pid},"rank":"${pid - 1}"}}`, 0, 0, 0)];
    for (let number = 0; number < batches; number++) {
      const from = number * (wait + step) * MS;
      const until = from + wait * MS;
      rows.push(...order(name, number, from, pid, number), span('prepare', number, from, until), elementsOf(8));
      rows.push(span(`wait:${name}`, number, from, until), span(`consume:${name}`, number, until, until + step * MS));
    }
    return { pid, rows };
  });
  return { ...imagesInfo, name: 'run', batches: summariseBatches(fold(lanes).result(), 4), problems: [] };
}

test('what each loader costs the program, where there are several', () => {
  const slow = { name: 'val', pid: 1, batches: 20, wait: 60, step: 40 };
  const text = renderText(runInfoReport(serialInfo(slow, { name: 'train', pid: 2, batches: 40, wait: 11, step: 89 })), {
    width: 120,
  });
  expect(text.slice(text.indexOf('Loaders'), text.indexOf('\nval  DataLoader'))).toMatchInlineSnapshot(`
    "Loaders  waiting: of a loader's own time; largest gain: of the program's
      loader  batches  share of program  waiting  largest gain  limited by
      val          20            50.0 %   60.0 %        28.5 %  preparation
      train        40           100.0 %   11.0 %        10.7 %  consumer
    "
  `);
  const [first] = renderText(runInfoReport(serialInfo({ ...slow, wait: 11, step: 89 })), { width: 200 }).split('\n');
  expect(first).toMatch(
    /^run: mostly the consumer is the limit, not val: it waits 11 % of the time for preparation, at most 10 % /,
  );
  // Nothing is to be changed about a loader that keeps up.
  const kept = renderText(runInfoReport(serialInfo({ ...slow, wait: 1, step: 99 })), { width: 200 });
  expect(kept).not.toContain('venturi diagnose');
});

test('ranks by themselves, and which of them the others wait for', () => {
  const rank = { name: 'train', pid: 1, batches: 20, wait: 60, step: 40 };
  const text = renderText(runInfoReport(serialInfo(rank, { ...rank, pid: 2, wait: 10, step: 95 })), { width: 200 });
  expect(text).toContain(
    'train is limited by preparation: its consumer waits 60 % of the time in rank 0, 9.5 % where it waits least, at most ',
  );
  expect(text.slice(text.indexOf('Ranks'), text.indexOf('\nWaiting'))).toMatchInlineSnapshot(`
    "Ranks  156/s together; rank 1 is the slowest, the fastest is 5.0 % faster
      consumer  batches  throughput  waiting  preparation  consumption  limited by
      rank 0         20      80.0/s   60.0 %      60.0 ms      40.0 ms  preparation
      rank 1         20      76.2/s    9.5 %      10.0 ms      95.0 ms  balanced
    "
  `);
});

test("who made a loader, where that is not the author's code", () => {
  const info = serialInfo({ name: 'train', pid: 1, batches: 6, wait: 1, step: 1 });
  const { batches = summariseBatches(fold([]).result(), 4) } = info;
  const made = { ...batches, loaders: batches.loaders.map(each => ({ ...each, library: 'a', remadeBy: 'b' })) };
  const text = renderText(runInfoReport({ ...info, batches: made }), { width: 100 });
  expect(text).toContain('\ntrain  DataLoader, made by a, recreated by b\n');
});

test('a run without a batch says so', () => {
  const info: RunInfo = { ...imagesInfo, batches: summariseBatches(fold([]).result(), 4) };
  expect(headline(info)).toBe('images: no batch was recorded');
});
