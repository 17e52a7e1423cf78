import { type Serializable, setEnvironmentData } from 'node:worker_threads';
import type { RunOptions } from 'venturi/engine';
import { recordRun } from 'venturi/record';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { METRICS } from '../src/model/metric.ts';
import { RECORD_KIND } from '../src/model/record.ts';
import type { RecordBlock } from '../src/model/span.ts';
import { openRun } from '../src/store/run-reader.ts';
import type { LaneRow, OperatorRow, RunInfo } from '../src/workflow/index.ts';
import gated, { ASLEEP_MS, GATES, type Story, WORD } from './fixtures/gates.ts';
import { Workshop } from './fixtures/workshop.ts';

const shop = new Workshop();
afterAll(() => shop.remove());

/** Sleeps without using a core, and burns one: what the pipelines of these tests are made of. */
const WORK = `
const cell = new Int32Array(new SharedArrayBuffer(4));
function sleep(ms: number): void { Atomics.wait(cell, 0, 0, ms); }
function burn(rounds: number): number {
  let x = rounds;
  for (let i = 0; i < rounds * 1000; i++) x = (Math.imul(x, 1664525) + 1013904223) | 0;
  return x;
}`;

const operator = (info: RunInfo, id: string): OperatorRow => {
  const row = info.operators.find(each => each.id === id);
  if (row === undefined) throw new Error(`no operator ${id}`);
  return row;
};

/** The lanes of the stage that `id` is in, as one. */
const lanesOf = (info: RunInfo, id: string): LaneRow[] => {
  const stage = info.manifest.graph?.stages.find(({ operators }) => operators.includes(id))?.id;
  return info.lanesRows.filter(({ name }) => name === stage || name.startsWith(`${stage}#`));
};

interface LaneRecords {
  readonly opened: number;
  lastMoment: number;
  spans: number;
  cpu: number;
  elementsIn: number;
  elementsOut: number;
  /** Counters of the lane's subjects in the order they were written: `subject metric` → values. */
  readonly counters: Map<string, number[]>;
}

/** Every record of a run, by lane. */
function readRecords(run: string): ReadonlyMap<string, LaneRecords> {
  const lanes = new Map<string, LaneRecords>();
  const records = openRun(shop.path(`${run}.venturi`)).records();
  for (const block of records.blocks()) {
    const lane = lanes.get(block.lane.name) ?? {
      opened: block.lane.opened,
      lastMoment: 0,
      spans: 0,
      cpu: 0,
      elementsIn: 0,
      elementsOut: 0,
      counters: new Map(),
    };
    lanes.set(block.lane.name, lane);
    addRecords(lane, block, records.subjects);
  }
  return lanes;
}

const METRIC_NAMES = new Map(Object.entries(METRICS).map(([name, { code }]) => [code as number, name]));

function addRecords(lane: LaneRecords, block: RecordBlock, subjects: readonly string[]): void {
  for (let at = 0; at < block.count; at++) {
    const start = block.start[at] ?? 0;
    const duration = block.duration[at] ?? 0;
    switch (block.kind[at]) {
      case RECORD_KIND.span:
        lane.spans++;
        break;
      case RECORD_KIND.cpu:
        lane.cpu += start;
        break;
      case RECORD_KIND.elements:
        lane.elementsIn += start;
        lane.elementsOut += duration;
        break;
      case RECORD_KIND.counter: {
        lane.lastMoment = Math.max(lane.lastMoment, start);
        const key = `${subjects[block.subject[at] ?? -1]} ${METRIC_NAMES.get(block.flags[at] ?? 0)}`;
        const values = lane.counters.get(key) ?? [];
        lane.counters.set(key, values);
        values.push(duration);
      }
    }
  }
}

const lastOf = (lane: LaneRecords | undefined, key: string): number => lane?.counters.get(key)?.at(-1) ?? Number.NaN;

describe('the five states of a lane', () => {
  const words = new Int32Array(new SharedArrayBuffer(4 * Object.keys(WORD).length));
  let attempt = 0;

  /** Records a pipeline in which functions see what their neighbours do, so that no state rests on which of them is quicker. */
  async function recordGated(story: Story, n: number, options: RunOptions = {}): Promise<[RunInfo, string]> {
    words.fill(0);
    setEnvironmentData(GATES, words.buffer as unknown as Serializable);
    const name = `gated-${attempt++}`;
    await recordRun(shop.path(`${name}.venturi`), gated, { params: { story, n }, ...options }).drain();
    return [await shop.info(name), name];
  }

  const ns = (lanes: readonly LaneRow[], state: keyof LaneRow): number =>
    lanes.reduce((sum, lane) => sum + Number(lane[state]), 0);

  /** Clocks are read a little before and after what they time. */
  const MOST = 0.8;

  it.each([
    ['in a thread', {}],
    ['inline', { parallelism: 0 }],
  ] as const)('a function that sleeps: blocked, %s', async (_, options) => {
    const [info] = await recordGated('sleeping', 60, options);
    expect(ns(lanesOf(info, 'sleeper'), 'blocked')).toBeGreaterThan(MOST * 60 * 5e6);
    if ('parallelism' in options) {
      expect(info.lanesRows).toHaveLength(1);
      expect(ns(info.lanesRows, 'starved') + ns(info.lanesRows, 'backpressured')).toBe(0);
      expect(info.operators.map(({ elementsOut }) => elementsOut)).toEqual([60, 60]);
    }
  });

  it('a slow second stage: the first is back-pressured, and the channel between them full', async () => {
    const [info, run] = await recordGated('slow second', 20_000, { chunkElements: 16, slots: 4 });
    expect(ns(lanesOf(info, 'quick'), 'backpressured')).toBeGreaterThan(MOST * ASLEEP_MS * 1e6);
    const key = `channel:${info.channels[0]?.id} saturated`;
    const saturated = [...readRecords(run).values()].reduce(
      (sum, { counters }) => sum + (counters.get(key)?.at(-1) ?? 0),
      0,
    );
    expect(saturated).toBeGreaterThan(MOST * ASLEEP_MS * 1e6);
  });

  it('channels hold what their slots allow', async () => {
    const [{ channels }] = await recordGated('slow second', 2000, { chunkElements: 16, slots: 4 });
    expect(channels.map(({ from, to }) => [from, to])).toEqual([
      ['quick', 'slow'],
      ['slow', 'consumer'],
    ]);
    for (const { meanOccupancy, peakOccupancy, slots, saturatedShare } of channels) {
      expect(meanOccupancy).toBeGreaterThan(0);
      expect(meanOccupancy).toBeLessThanOrEqual(slots);
      expect(peakOccupancy).toBeGreaterThanOrEqual(meanOccupancy);
      expect(peakOccupancy).toBeLessThanOrEqual(slots);
      expect(saturatedShare).toBeLessThanOrEqual(1);
    }
  });

  it('a slow first stage: the second is starved, and the channel between them has room', async () => {
    const [info] = await recordGated('slow first', 40, { chunkElements: 1 });
    expect(ns(lanesOf(info, 'quick'), 'starved')).toBeGreaterThan(MOST * ASLEEP_MS * 1e6);
    expect(ns(lanesOf(info, 'slow'), 'blocked')).toBeGreaterThan(MOST * ASLEEP_MS * 1e6);
  });

  it.skipIf(process.platform !== 'linux')('functions that compute: running, or queued for a core', async () => {
    const [info] = await recordGated('computing', 120);
    const lanes = lanesOf(info, 'burner');
    expect(lanes).toHaveLength(6);
    expect(ns(lanes, 'running')).toBeGreaterThan(MOST * (words[WORD.cpuUs] ?? 0) * 1e3);
    expect(ns(lanes, 'runnable')).toBeGreaterThan(MOST * (words[WORD.delayUs] ?? 0) * 1e3);
  });
});

describe('random numbers', () => {
  it('are counted for the operator that drew them, in every lane', async () => {
    const graph = `range(p.n).map(x => x + 1, { name: 'steady' })
      .map((x, { rng }) => x + rng.uniform(), { name: 'keyed', parallelism: 2 })
      .map(x => (x >= 501 ? Math.random() : x), { name: 'ambient', parallelism: 1 })`;
    const { info } = await shop.record(shop.pipeline('random.ts', graph, WORK), 'random', '--param', 'n=1000');
    expect(info.operators.map(({ id, keyedDraws, ambientDraws }) => [id, keyedDraws, ambientDraws])).toEqual([
      ['range', 0, 0],
      ['steady', 0, 0],
      ['keyed', 1000, 0],
      ['ambient', 0, 500],
    ]);
  });
});

describe('counts', () => {
  let info: RunInfo;
  let records: ReadonlyMap<string, LaneRecords>;
  const stages = ['range+third', 'doubled', 'batch'];

  beforeAll(async () => {
    const graph = `range(p.n).filter(x => x % 3 === 0, { name: 'third' })
      .flatMap(x => [x, burn(20)], { name: 'doubled', parallelism: 2 })
      .batch(7)`;
    ({ info } = await shop.record(shop.pipeline('counts.ts', graph, WORK), 'counts', '--param', 'n=30000'));
    records = readRecords('counts');
  });

  const lanes = (stage: string): LaneRecords[] =>
    [...records].filter(([name]) => name.startsWith(`${stage}#`)).map(([, lane]) => lane);
  const sum = (of: readonly LaneRecords[], figure: (lane: LaneRecords) => number): number =>
    of.reduce((total, lane) => total + figure(lane), 0);

  it('of elements are exact for every operator', () => {
    expect(info.operators.map(({ id, elementsIn, elementsOut }) => [id, elementsIn, elementsOut])).toEqual([
      ['range', 30_000, 30_000],
      ['third', 30_000, 10_000],
      ['doubled', 10_000, 20_000],
      ['doubled/batch', 20_000, 2858],
    ]);
    expect(info.totals.elements).toBe(2858);
    expect(lastOf(records.get('consumer'), 'operator:consumer elementsIn')).toBe(2858);
  });

  it('of elements in spans add up to them', () => {
    const inAndOut = stages.map(stage => [
      sum(lanes(stage), lane => lane.elementsIn),
      sum(lanes(stage), lane => lane.elementsOut),
    ]);
    expect(inAndOut.map(([elementsIn]) => elementsIn)).toEqual([30_000, 10_000, 20_000]);
    expect(inAndOut[1]).toEqual([10_000, 20_000]);
    // A stage of one lane gathers its output over chunks: some of it leaves while the stage waits, or when its input has ended, in no
    // chunk.
    for (const [at, all] of [
      [0, 10_000],
      [2, 2858],
    ] as const) {
      expect(inAndOut[at]?.[1]).toBeLessThanOrEqual(all);
      expect(inAndOut[at]?.[1]).toBeGreaterThan(0);
    }
    expect(records.get('consumer')?.elementsIn).toBe(2858);
  });

  it('of spans are those of chunks', () => {
    for (const stage of stages) {
      for (const lane of lanes(stage)) {
        expect(lane.spans).toBeGreaterThan(0);
        expect(lane.spans).toBe(lastOf(lane, `stage:${stage} chunks`));
      }
    }
    expect(lanes('doubled')).toHaveLength(2);
  });

  it('of bytes on a channel are those that its producers sent, in as many chunks', () => {
    const host = records.get('host');
    for (const { id, from } of info.channels) {
      const stage = stages.find(each => each.endsWith(from.split('/').at(-1) ?? '')) ?? from;
      const sent = lanes(stage).reduce((sum, lane) => sum + lastOf(lane, `stage:${stage} bytesOut`), 0);
      const handedOn = lastOf(host, `channel:${id} bytesHandedOn`);
      // The end is a chunk too: a few bytes without an element, sent after the lane's last word.
      expect(handedOn, id).toBeGreaterThanOrEqual(sent);
      expect(handedOn, id).toBeLessThan(sent + 100);
      expect(lastOf(host, `channel:${id} chunksHandedOn`), id).toBeGreaterThan(0);
    }
    expect(info.channels.length).toBeGreaterThan(0);
  });

  it.runIf(process.platform === 'linux')('of fresh pages are there for every thread', () => {
    for (const stage of stages)
      for (const lane of lanes(stage)) expect(lastOf(lane, 'lane freshPages')).toBeGreaterThan(0);
  });

  it('of CPU in spans add up to the stage', () => {
    for (const lane of lanes('doubled')) {
      const ratio = lane.cpu / lastOf(lane, 'stage:doubled cpu');
      // Work before the first chunk and after the last is in the one and not in the other.
      expect(ratio).toBeGreaterThan(0.85);
      expect(ratio).toBeLessThan(1.02);
    }
  });

  it('of the process hold those of its lanes, and totals only grow', () => {
    const host = records.get('host');
    expect(info.totals.processCpu).toBeGreaterThan(info.totals.laneCpu * 0.98);
    for (const metric of ['processCpu', 'residentMemory']) expect(lastOf(host, `process ${metric}`)).toBeGreaterThan(0);
    expect(info.totals.hostMemoryLeast).toBeGreaterThan(0);
    expect(info.totals.hostCpuBusy).toBeGreaterThan(0);
    const gauges = /residentMemory|hostMemoryAvailable|chunksQueued/;
    let totals = 0;
    for (const lane of records.values()) {
      for (const [key, values] of lane.counters) {
        // Estimates and divided states may be corrected downwards.
        if (gauges.test(key) || !/^(process|host|channel:)|elements|chunks/.test(key)) continue;
        totals++;
        expect(values, key).toEqual(values.toSorted((a, b) => a - b));
      }
    }
    expect(totals).toBeGreaterThan(20);
  });
});

describe('storage', () => {
  it('is asked for what the files hold', async () => {
    const sizes = Array.from({ length: 60 }, (_, at) => 20_000 + 1000 * at);
    for (const [at, size] of sizes.entries()) shop.write(`data/${at}.bin`, 'x'.repeat(size));
    const total = sizes.reduce((sum, size) => sum + size, 0);
    const graph = "files(p.folder).map(readFile, { name: 'read' }).map(bytes => bytes.length, { name: 'measure' })";
    const file = shop.pipeline('reads.ts', graph, '', '{ folder: String }');
    const { info } = await shop.record(file, 'reads', '--param', `folder=${shop.path('data')}`, '--epochs', '3');
    const asked = lanesOf(info, 'read').reduce((sum, lane) => sum + lane.storageAsked, 0);
    expect(asked / (3 * total)).toBeGreaterThan(0.98);
    expect(asked / (3 * total)).toBeLessThan(1.1);
    expect(info.totals.storageAsked).toBeGreaterThan(asked * 0.98);
    expect(operator(info, 'read').elementsOut).toBe(180);
  });
});

describe('sizes', () => {
  it('are known of what leaves an async function in the midst of a stage', async () => {
    shop.pipeline(
      'answers.ts',
      "range(200).map(answer, { name: 'answer' }).map(x => x.length).batch(50)",
      'const answer = async (n: number) => new Uint8Array(1000 + n);',
    );
    await shop.venturi('run', 'answers.ts', '--record', 'answers');
    const info = await shop.info('answers');
    const bytes = operator(info, 'answer').bytesOut ?? 0;
    expect(bytes / 200).toBeGreaterThan(1000);
    expect(bytes / 200).toBeLessThan(1300);
  });
});

describe('inside a fused stage', () => {
  it.each([['in a thread'], ['inline', '--inline']])(
    'all CPU is divided among its operators, %s',
    async (about, ...flags) => {
      const run = about.replaceAll(' ', '-');
      const graph = "range(p.n).map(x => burn(300) + x, { name: 'heavy' }).map(x => burn(100) + x, { name: 'light' })";
      const { info } = await shop.record(shop.pipeline('shares.ts', graph, WORK), run, '--param', 'n=400', ...flags);
      expect(operator(info, 'heavy').cpuNs).toBeGreaterThan(0);
      expect(operator(info, 'light').cpuNs).toBeGreaterThan(0);
      const { stdout } = await shop.venturi('info', run);
      expect(stdout).toMatch(/^.*; (heavy|light) takes \d+ % of the CPU\n/);
    },
  );
});

describe('a run that breaks', () => {
  it('by the end of a worker leaves a recording that says so', async () => {
    const graph =
      "range(p.n).map(x => { if (x === 700) process.exit(3); return burn(5) + x; }, { name: 'quitter', parallelism: 2 })";
    const file = shop.pipeline('quits.ts', graph, WORK);
    const { code, stderr } = await shop.venturi('run', file, '--record', 'quits');
    expect(stderr).toMatch(/VENTURI_WORKER_DIED: .*quitter#\d/);
    expect(code).toBe(5);
    const info = await shop.info('quits');
    expect(info).toMatchObject({ complete: true, status: 'failed' });
    expect(info.manifest.outcome?.error?.code).toBe('VENTURI_WORKER_DIED');
    expect((await shop.venturi('info', 'quits')).stdout).toMatch(/^quits \(failed\): /);
  });
});
