import { availableParallelism } from 'node:os';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { METRICS } from '../src/model/metric.ts';
import { RECORD_KIND } from '../src/model/record.ts';
import type { RecordBlock } from '../src/model/span.ts';
import { openRun } from '../src/store/run-reader.ts';
import type { LaneRow, OperatorRow, RunInfo } from '../src/workflow/index.ts';
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

/** Part of the time in which the machine let them: waiting for a core is left out. */
const freeShare = (lanes: readonly LaneRow[], state: keyof LaneRow): number =>
  share(lanes, state) / (1 - share(lanes, 'runnable'));

const share = (lanes: readonly LaneRow[], state: keyof LaneRow): number =>
  lanes.reduce((sum, lane) => sum + Number(lane[state]), 0) / lanes.reduce((sum, { wall }) => sum + wall, 0);

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
  it.each(
    [
      {
        about: 'a function that sleeps: blocked',
        graph: "range(p.n).map(x => { sleep(5); return x; }, { name: 'sleeper' })",
        n: 150,
        check: (info: RunInfo) => expect(freeShare(lanesOf(info, 'sleeper'), 'blocked')).toBeGreaterThan(0.7),
      },
      {
        about: 'a slow second stage: the first is back-pressured',
        graph:
          "range(p.n).map(x => x, { name: 'quick' }).map(x => { sleep(3); return x; }, { name: 'slow', parallelism: 1 })",
        n: 250,
        check: (info: RunInfo) => {
          expect(freeShare(lanesOf(info, 'quick'), 'backpressured')).toBeGreaterThan(0.6);
          expect(freeShare(lanesOf(info, 'slow'), 'starved')).toBeLessThan(0.4);
        },
      },
      {
        about: 'a slow first stage: the second is starved',
        graph:
          "range(p.n).map(x => { sleep(3); return x; }, { name: 'slow' }).map(x => x, { name: 'quick', parallelism: 1 })",
        n: 250,
        check: (info: RunInfo) => {
          expect(freeShare(lanesOf(info, 'quick'), 'starved')).toBeGreaterThan(0.6);
          expect(freeShare(lanesOf(info, 'slow'), 'backpressured')).toBeLessThan(0.3);
        },
      },
      {
        about: 'a function that computes: running',
        graph: "range(p.n).map(x => burn(1000) + x, { name: 'burner' })",
        n: 700,
        check: (info: RunInfo) => {
          expect(freeShare(lanesOf(info, 'burner'), 'running')).toBeGreaterThan(0.8);
        },
      },
      {
        about: 'three computing threads to a core: waiting for a core',
        graph: `range(p.n).map(x => burn(1000) + x, { name: 'crowd', parallelism: ${3 * availableParallelism()} })`,
        n: 500 * availableParallelism(),
        check: (info: RunInfo) => {
          const lanes = lanesOf(info, 'crowd');
          expect(lanes).toHaveLength(3 * availableParallelism());
          expect(share(lanes, 'runnable')).toBeGreaterThan(0.3);
        },
      },
    ].map(plan => [plan.about, plan] as const),
  )('%s', async (about, { graph, n, check }) => {
    const run = about.replaceAll(/\W+/g, '-');
    const { info } = await shop.record(shop.pipeline(`${run}.ts`, graph, WORK), run, '--param', `n=${n}`);
    check(info);
    sumToWall(run, info);
  });

  it('an inline run: one lane, which never waits on a channel', async () => {
    const graph =
      "range(p.n).map(x => { sleep(4); return x; }, { name: 'sleeper' }).map(x => burn(1000) + x, { name: 'burner' })";
    const { info } = await shop.record(
      shop.pipeline('inline.ts', graph, WORK),
      'inline',
      '--inline',
      '--param',
      'n=120',
    );
    expect(info.lanesRows).toHaveLength(1);
    expect(freeShare(info.lanesRows, 'blocked')).toBeGreaterThan(0.4);
    expect(share(info.lanesRows, 'starved') + share(info.lanesRows, 'backpressured')).toBe(0);
    expect(info.operators.map(({ elementsOut }) => elementsOut)).toEqual([120, 120, 120]);
    sumToWall('inline', info);
  });
});

/** The states are kept apart from the clock that says how long the lane lived. */
function sumToWall(run: string, info: RunInfo): void {
  const records = readRecords(run);
  for (const { name, running, runnable, blocked, starved, backpressured } of info.lanesRows) {
    const lane = records.get(name);
    const lived = (lane?.lastMoment ?? Number.NaN) - (lane?.opened ?? Number.NaN);
    const ratio = (running + runnable + blocked + starved + backpressured) / lived;
    expect(ratio, name).toBeGreaterThan(0.98);
    expect(ratio, name).toBeLessThan(1.02);
  }
}

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
    // A stage of one lane gathers its output over chunks: the last of it leaves when the input has ended, in no chunk.
    for (const [at, all] of [
      [0, 10_000],
      [2, 2858],
    ] as const) {
      expect(inAndOut[at]?.[1]).toBeLessThanOrEqual(all);
      expect(inAndOut[at]?.[1]).toBeGreaterThan(0.8 * all);
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

  it('of CPU in spans add up to the stage', () => {
    for (const lane of lanes('doubled')) {
      const ratio = lane.cpu / lastOf(lane, 'stage:doubled cpu');
      // Work before the first chunk and after the last is in the one and not in the other.
      expect(ratio).toBeGreaterThan(0.85);
      expect(ratio).toBeLessThan(1.02);
    }
  });

  it('of every thread, and of one beside them, say how fast the same work was done', () => {
    // 16,384 multiplications: not in less than one cycle each at 10 GHz, and hardly in more than 10 ms.
    for (const [name, lane] of records) {
      const key = [...lane.counters.keys()].find(each => each.endsWith(' yardsticks')) ?? '';
      const readings = lastOf(lane, key);
      expect(readings, name).toBeGreaterThanOrEqual(1);
      const inSecond = lastOf(lane, key.replace('yardsticks', 'yardstickSpeed')) / readings;
      expect(inSecond, name).toBeGreaterThan(100);
      expect(inSecond, name).toBeLessThan(2e6);
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

describe('a channel', () => {
  it('is full behind a quick producer and empty behind a slow one', async () => {
    const quick =
      "range(p.n).map(x => x, { name: 'a' }).map(x => { sleep(2); return x; }, { name: 'b', parallelism: 1 })";
    const slow =
      "range(p.n).map(x => { sleep(2); return x; }, { name: 'a' }).map(x => x, { name: 'b', parallelism: 1 })";
    const full = await shop.record(shop.pipeline('full.ts', quick, WORK), 'full', '--param', 'n=600');
    const empty = await shop.record(shop.pipeline('empty.ts', slow, WORK), 'empty', '--param', 'n=600');
    for (const { channels } of [full.info, empty.info]) {
      expect(channels.map(({ from, to }) => [from, to])).toEqual([
        ['a', 'b'],
        ['b', 'consumer'],
      ]);
      for (const { meanOccupancy, peakOccupancy, slots, saturatedShare } of channels) {
        expect(meanOccupancy).toBeGreaterThan(0);
        expect(meanOccupancy).toBeLessThanOrEqual(slots);
        expect(peakOccupancy).toBeGreaterThanOrEqual(meanOccupancy);
        expect(peakOccupancy).toBeLessThanOrEqual(slots);
        expect(saturatedShare).toBeLessThanOrEqual(1);
      }
    }
    // While threads start, a channel may fill that is empty ever after.
    const fullShare = full.info.channels[0]?.saturatedShare ?? 0;
    expect(fullShare).toBeGreaterThan(0.5);
    expect(full.info.channels[1]?.saturatedShare).toBeLessThan(0.1);
    expect(empty.info.channels[0]?.saturatedShare).toBeLessThan(fullShare / 2);
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
  let attempt = 0;

  // Elements are timed by the wall clock: on a crowded machine a few that lost their core can spoil one attempt.
  it.each([['in a thread'], ['inline', '--inline']])(
    'CPU is divided as the work is, %s',
    { retry: 3 },
    async (_, ...flags) => {
      const run = `shares-${attempt++}`;
      const graph = "range(p.n).map(x => burn(300) + x, { name: 'heavy' }).map(x => burn(100) + x, { name: 'light' })";
      const { info } = await shop.record(shop.pipeline('shares.ts', graph, WORK), run, '--param', 'n=1000', ...flags);
      const ratio = operator(info, 'heavy').cpuNs / operator(info, 'light').cpuNs;
      expect(ratio).toBeGreaterThan(2);
      expect(ratio).toBeLessThan(4.5);
      expect(operator(info, 'heavy').cpuShare).toBeGreaterThan(0.4);
      const { stdout } = await shop.venturi('info', run);
      expect(stdout).toMatch(/^.*; heavy takes \d+ % of the CPU\n/);
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
