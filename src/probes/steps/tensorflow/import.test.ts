import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { DEPENDENCY_CAUSES, OP_WORK, type StepTrace } from '../../../model/step-trace.ts';
import { stepTraceJson } from '../../../model/step-trace-json.ts';
import { importRunMetadata, importRunMetadataText, importTimeline } from './import.ts';

const golden = (name: string) => ({ name, bytes: readFileSync(new URL(`golden/${name}`, import.meta.url)) });
const text = (document: string) => [{ name: 'made.pbtxt', bytes: Buffer.from(document) }];
const timeline = (document: unknown) => [{ name: 'made.json', bytes: Buffer.from(JSON.stringify(document)) }];

const WORKER = '/job:worker/replica:0/task:0/device:CPU:0';
const SERVER = '/job:ps/replica:0/task:0/device:CPU:0';

const nameOf = ({ ops }: StepTrace, op: number | undefined): string => ops.names[ops.name[op ?? 0] ?? 0] ?? '';

/** `from > to` of every dependency, `cause`, with ? where it was guessed. */
const edges = (trace: StepTrace): string[] =>
  Array.from(trace.dependencies.from, (from, at) => {
    const { to, cause, guessed } = trace.dependencies;
    const mark = guessed[at] === 1 ? '?' : '';
    return `${nameOf(trace, from)} > ${nameOf(trace, to[at])} ${DEPENDENCY_CAUSES[cause[at] ?? 0]}${mark}`;
  });

/** `name work resource-kind bytes` of every op. */
const opsOf = (trace: StepTrace): string[] =>
  Array.from(trace.ops.name, (_, at) => {
    const { work, resource, bytes } = trace.ops;
    const kind = trace.resources[resource[at] ?? 0]?.kind;
    return `${nameOf(trace, at)} ${OP_WORK[work[at] ?? 0]} ${kind} ${bytes[at]}`;
  });

const assumptions = (trace: StepTrace): string[] =>
  trace.assumptions.map(({ what, count, of }) => `${count}/${of} ${what}`);

describe('RunMetadata of a parameter server and a worker', () => {
  const trace = importRunMetadata([golden('step-1.pb'), golden('step-0.pb')]);

  it('has a step for each file, in order of time', () => {
    expect(trace.ranks).toEqual([{ rank: 0, name: '/job:worker/task:0' }]);
    expect(trace.steps.map(({ rank, number, start }) => [rank, number, start > 0])).toEqual([
      [0, 0, false],
      [0, 1, true],
    ]);
    expect([trace.ops.count, trace.ops.start[0], trace.source]).toEqual([50, 0, 'tensorflow']);
    expect(BigInt(trace.base) > 10n ** 18n).toBe(true);
  });

  it('has links, the server and the device of the worker', () => {
    expect(new Set(trace.resources.map(({ kind, rank, server }) => `${kind} ${rank} ${server}`))).toEqual(
      new Set(['device 0 undefined', 'server undefined 0', 'downlink 0 0', 'uplink 0 0']),
    );
  });

  it('has the bytes of every transfer', () => {
    const transfers = new Set(opsOf(trace).filter(op => op.includes('communication')));
    expect(transfers).toEqual(
      new Set([
        'RecvTensor MatMul/ReadVariableOp communication downlink 4096',
        'RecvTensor add/ReadVariableOp communication downlink 64',
        'RecvTensor GradientDescent/learning_rate communication uplink 4',
        'RecvTensor gradients/add_grad/Reshape communication uplink 64',
        'RecvTensor gradients/MatMul_grad/MatMul_1 communication uplink 4096',
      ]),
    );
  });

  it('finds all dependencies by name, through transfers between processes', () => {
    const found = edges(importRunMetadata([golden('step-0.pb')]));
    expect(found).toContain('w > MatMul/ReadVariableOp data');
    expect(found).toContain('MatMul/ReadVariableOp > RecvTensor MatMul/ReadVariableOp data');
    expect(found).toContain('RecvTensor MatMul/ReadVariableOp > add recv');
    expect(found).toContain('add > gradients/Square_grad/Mul data');
    expect(found).toContain('gradients/MatMul_grad/MatMul_1 > RecvTensor gradients/MatMul_grad/MatMul_1 data');
    expect(found).toContain(
      'RecvTensor gradients/MatMul_grad/MatMul_1 > GradientDescent/update_w/ResourceApplyGradientDescent recv',
    );
    expect(found).toContain('GradientDescent/update_w/ResourceApplyGradientDescent > GradientDescent data');
    expect(found.filter(edge => edge.endsWith('?'))).toEqual([]);
    expect(assumptions(trace)).toEqual([]);
  });

  it('is the same as text', () => {
    expect(importRunMetadataText([golden('step-0.pbtxt')])).toEqual(importRunMetadata([golden('step-0.pb')]));
  });

  it('is the same as bare StepStats', () => {
    const { bytes } = golden('step-0.pb');
    // Two bytes of length: RunMetadata has nothing but its step_stats.
    const inner = [{ name: 'stats.pb', bytes: bytes.subarray(3) }];
    expect(importRunMetadata(inner)).toEqual(importRunMetadata([golden('step-0.pb')]));
    const document = golden('step-0.pbtxt').bytes.toString();
    const bare = document.slice(document.indexOf('{') + 1, document.lastIndexOf('}'));
    expect(importRunMetadataText(text(bare))).toEqual(importRunMetadata([golden('step-0.pb')]));
  });

  it('loses sizes in a timeline, and binds transfers by the order of time', () => {
    const files = [golden('step-0.timeline.json')];
    const lossy = importTimeline(files);
    expect(assumptions(lossy)).toEqual([
      '6/22 inputs bound to a transfer by the order of time',
      '5/5 transfers between processes without a size: RunMetadata has it, a timeline does not',
    ]);
    expect(lossy.ops.count).toBe(25);
    // As many dependencies as are exact, and of the transfers' the larger part the same.
    const [exact, guessed] = [edges(importRunMetadata([golden('step-0.pb')])), edges(lossy)];
    expect(guessed).toHaveLength(exact.length);
    const unmarked = new Set(guessed.map(edge => edge.replace('?', '')));
    expect(exact.filter(edge => !unmarked.has(edge)).length).toBeLessThan(5);
    const sizes = new Map([['MatMul/ReadVariableOp', 4096]]);
    expect(opsOf(importTimeline(files, { sizes }))).toContain(
      'RecvTensor MatMul/ReadVariableOp communication downlink 4096',
    );
  });
});

/** A node of a device in text; times in µs. */
const node = (name: string, start: number, duration: number, label: string): string =>
  `node_stats { node_name: "${name}" all_start_micros: ${start} all_end_rel_micros: ${duration} timeline_label: "${label}" }`;
const device = (name: string, ...nodes: string[]): string => `dev_stats { device: "${name}" ${nodes.join(' ')} }`;

describe('what files leave out', () => {
  it('takes inputs of a loop, and of nothing recorded, to be there, and says so', () => {
    const trace = importRunMetadataText(
      text(
        device(
          WORKER,
          node('merge', 10, 1, 'merge = Merge(enter, next)'),
          node('next', 12, 1, 'next = NextIteration(merge)'),
          node('merge', 14, 1, 'merge = Merge(enter, next)'),
        ),
      ),
    );
    expect(edges(trace)).toEqual(['merge > next data?', 'next > merge data']);
    expect(assumptions(trace)).toEqual([
      '2/5 inputs that no recorded op made (fed, or folded into a constant): taken to be there',
      '1/5 inputs that were made only later (the way back of a loop): taken to be there',
    ]);
  });

  it('reads the size of a transfer from its label where there is nothing else, and none of a damaged one', () => {
    const label = `[1.5MB] [1.2Gb/s] edge_4_w from ${SERVER} to ${WORKER}`;
    const nodes = [node('RecvTensor', 10, 1, label), node('RecvTensor', 10, 1, 'gone')];
    expect(
      opsOf(importRunMetadataText(text(device(WORKER, ...nodes) + device(SERVER, node('w', 1, 1, 'w = Var()'))))),
    ).toEqual([
      'w compute server NaN',
      `RecvTensor w communication downlink ${1.5 * 2 ** 20}`,
      'RecvTensor communication downlink NaN',
    ]);
  });

  it('takes ops that end before they start to need no time', () => {
    const trace = importRunMetadataText(text(device(WORKER, node('a', 10, -5, 'a = NoOp()'))));
    expect([trace.ops.duration[0], assumptions(trace)]).toEqual([
      0,
      ['1/1 ops that end before they start: taken to need no time'],
    ]);
  });

  it('knows launches from kernels where a device’s streams are there, and counts no stream twice', () => {
    const gpu = '/job:localhost/replica:0/task:0/gpu:0';
    const trace = importRunMetadataText(
      text(
        [
          device('/job:localhost/replica:0/task:0/cpu:0', node('x', 1, 1, 'x = Const()')),
          device(gpu, node('y', 5, 2, 'y = MatMul(x/_1)')),
          device('/gpu:0/stream:7', node('y:MatMul', 6, 9, 'gemm')),
          device('/gpu:0/stream:all', node('y:MatMul', 6, 9, 'gemm')),
          device('/gpu:0/memcpy', node('edge_3_x:MEMCPYHtoD', 3, 1, 'MEMCPYHtoD 400 bytes (Pinned to Device)')),
          device('/gpu:0/stream:13', node('edge_3_x:MEMCPYHtoD', 3, 1, 'MEMCPYHtoD 400 bytes (Pinned to Device)')),
        ].join('\n'),
      ),
    );
    expect(opsOf(trace)).toEqual([
      'x operator host NaN',
      'edge_3_x copy device 400',
      'y launch host NaN',
      'y compute device NaN',
    ]);
    expect(edges(trace)).toEqual(['x > edge_3_x data', 'edge_3_x > y recv', 'y > y launch']);
  });

  it('has a rank and a step for every worker of a call', () => {
    const other = WORKER.replace('task:0', 'task:1');
    const trace = importRunMetadataText(
      text([WORKER, other, SERVER].map(name => device(name, node('a', 1, 1, 'a = NoOp()'))).join(' ')),
    );
    expect(trace.ranks.map(({ rank, name }) => [rank, name])).toEqual([
      [0, '/job:worker/task:0'],
      [1, '/job:worker/task:1'],
    ]);
    expect(trace.steps.map(({ rank, number }) => [rank, number])).toEqual([
      [0, 0],
      [1, 0],
    ]);
    expect(assumptions(trace)).toEqual(['1/3 ops of servers in steps of several workers: counted to the first']);
  });
});

describe('several outputs of one node', () => {
  const received = (tensor: string, start: number, duration: number): string =>
    node('RecvTensor', start, duration, `[8B] ${tensor} from ${WORKER} to ${SERVER}`);
  const updates = [
    node('update_a', 40, 1, 'update_a = Apply(grads_S9)'),
    node('update_b', 50, 1, 'update_b = Apply(grads_S11)'),
    node('update_c', 60, 1, 'update_c = Apply(grads_S101)'),
  ];
  const call = (...transfers: string[]): string =>
    device(WORKER, node('grads', 1, 9, 'grads = Gradients()')) + device(SERVER, ...transfers, ...updates);
  /** All three, the first to be sent arriving last. */
  const whole = call(
    received('edge_7_grads', 12, 27),
    received('edge_30_grads', 11, 5),
    received('edge_4_grads', 13, 25),
  );
  const files = (...calls: string[]) => calls.map((each, at) => ({ name: `${at}.pbtxt`, bytes: Buffer.from(each) }));
  /** Start and duration, µs, of the transfer that each update waited for, step by step. */
  const bound = (trace: StepTrace): string[] =>
    Array.from(trace.dependencies.from, (from, at) => ({ from, to: trace.dependencies.to[at] }))
      .filter(({ to }) => nameOf(trace, to).startsWith('update'))
      .map(({ from, to }) => {
        const { start, duration, step } = trace.ops;
        const span = `${((start[from] ?? 0) / 1000) % 1000} ${(duration[from] ?? 0) / 1000}`;
        return `${step[from]} ${nameOf(trace, to)} < ${nameOf(trace, from)} ${span}`;
      })
      .sort();

  it('go to one device in the order of their numbers, whenever they arrive', () => {
    const trace = importRunMetadataText(files(whole));
    expect(bound(trace)).toEqual([
      '0 update_a < RecvTensor grads 12 25',
      '0 update_b < RecvTensor grads 11 27',
      '0 update_c < RecvTensor grads 10 5',
    ]);
    expect(assumptions(trace)).toEqual(['3/3 inputs bound to one of several transfers by the order of their numbers']);
  });

  it('are the same in calls that lack transfers, which are put in with their sizes', () => {
    const later = (document: string, by: number): string =>
      document.replace(/(all_start_micros: )(\d+)/g, (_, member, start) => `${member}${Number(start) + by}`);
    const lacking = later(call(received('edge_30_grads', 11, 5)), 1000);
    const trace = importRunMetadataText(files(whole, lacking, later(whole, 2000)));
    expect(bound(trace).filter(each => each.startsWith('1'))).toEqual([
      '1 update_a < RecvTensor grads 9 30',
      '1 update_b < RecvTensor grads 9 40',
      '1 update_c < RecvTensor grads 10 5',
    ]);
    expect(trace.ops.bytes.filter(size => size === 8)).toHaveLength(9);
    expect(trace.ops.guessed.filter(guessed => guessed === 1)).toHaveLength(2);
    expect(stepTraceJson(trace).ops.filter(({ guessed }) => guessed === true)).toHaveLength(2);
    expect(assumptions(trace)).toContain(
      '2/9 transfers that TensorFlow did not record: as in other steps, from when the tensor was made to when it was read',
    );
  });

  it('are not put in where most calls have no such transfer', () => {
    const without = call(received('edge_30_grads', 11, 5));
    expect(importRunMetadataText(files(whole, without, without)).ops.bytes.filter(size => size === 8)).toHaveLength(5);
  });

  it('are bound to the last transfer where numbers tell nothing, which is said', () => {
    const trace = importRunMetadataText(
      files(call(received('edge_30_grads', 11, 5), received('edge_4_grads', 13, 25))),
    );
    expect(assumptions(trace)).toEqual(['3/3 inputs bound to a transfer by the order of time']);
  });
});

it('lets a call wait for the one before it, where that had ended', () => {
  const call = (start: number) => ({
    name: `${start}.pbtxt`,
    bytes: Buffer.from(
      device(WORKER, node(`a${start}`, start, 5, 'a = NoOp()'), node(`b${start}`, start + 5, 5, `b = Op(a${start})`)),
    ),
  });
  expect(edges(importRunMetadataText([call(100), call(200), call(209)]))).toEqual([
    'a100 > b100 data',
    'a200 > b200 data',
    'a209 > b209 data',
    'b100 > a200 thread?',
  ]);
});

describe('calls in one timeline', () => {
  const named = { ph: 'M', name: 'process_name', pid: 1, args: { name: `${WORKER} Compute` } };
  const run = (name: string, ts: number, dur: number) => ({
    ph: 'X',
    cat: 'Op',
    pid: 1,
    ts,
    dur,
    args: { name, op: 'NoOp' },
  });

  it('are as many steps', () => {
    const traceEvents = [named, run('_SOURCE', 10, 1), run('a', 12, 5), run('_SOURCE', 20, 1), run('a', 22, 5)];
    expect(importTimeline(timeline({ traceEvents })).steps.map(({ start, duration }) => [start, duration])).toEqual([
      [0, 7000],
      [10_000, 7000],
    ]);
  });

  it('are one where a node runs across the second: a function with an executor of its own', () => {
    const traceEvents = [named, run('_SOURCE', 10, 1), run('call', 12, 15), run('_SOURCE', 20, 1), run('a', 22, 5)];
    expect(importTimeline(timeline({ traceEvents })).steps).toHaveLength(1);
  });
});

describe('files that are damaged', () => {
  const refused = (run: () => unknown) => {
    try {
      run();
    } catch (error) {
      const { code, message, remedy } = error as { code: string; message: string; remedy: string };
      expect(remedy).toBeTruthy();
      return `${code} ${message}`;
    }
    throw new Error('nothing was thrown');
  };

  it('are refused with what is wrong', () => {
    const { bytes } = golden('step-0.pb');
    expect(refused(() => importRunMetadata([{ name: 'cut.pb', bytes: bytes.subarray(0, 1000) }]))).toMatch(
      /^VENTURI_STEPS_UNREADABLE cut\.pb is not a whole TensorFlow's RunMetadata: 1000 bytes are not .* see byte \d+/,
    );
    expect(refused(() => importRunMetadataText(text('step_stats { dev_stats {')))).toContain(
      "VENTURI_STEPS_UNREADABLE made.pbtxt is not a whole TensorFlow's RunMetadata as text: line 1: a field or } is expected",
    );
    expect(refused(() => importTimeline([{ name: 'cut.json', bytes: Buffer.from('{"traceEvents": [{') }]))).toContain(
      'VENTURI_STEPS_UNREADABLE cut.json is not a whole timeline of TensorFlow',
    );
    expect(
      refused(() => importTimeline(timeline({ traceEvents: [{ ph: 'X', cat: 'Op', pid: 1, ts: 'now', dur: 1 }] }))),
    ).toContain('traceEvents.0.ts: ');
    expect(
      refused(() => importTimeline(timeline({ traceEvents: [{ ph: 'X', cat: 'Op', pid: 1, ts: 1, dur: 1 }] }))),
    ).toContain('traceEvents.0.pid: no process_name names 1');
    const apart = device(WORKER, node('a', 0, 1, 'a = NoOp()'), node('b', 9_100_000_000_000_000, 1, 'b = NoOp()'));
    expect(refused(() => importRunMetadataText(text(apart)))).toContain('more than a hundred days apart');
  });

  it('are refused where they have no execution', () => {
    expect(refused(() => importRunMetadata([{ name: 'empty.pb', bytes: new Uint8Array() }]))).toBe(
      'VENTURI_STEPS_NONE empty.pb has no execution of any node.',
    );
    expect(refused(() => importTimeline(timeline({ traceEvents: [] })))).toContain('VENTURI_STEPS_NONE');
  });
});

const traces = new URL('../../../../../shared/traces/', import.meta.url);
const present = existsSync(traces);

describe.skipIf(!present)(`real timelines${present ? '' : ': SKIPPED, ../shared/traces is not there'}`, () => {
  const real = (name: string) => importTimeline([{ name, bytes: readFileSync(new URL(name, traces)) }]);

  it('import: a parameter server and two workers', () => {
    const trace = real('qizhi_timeline_client_ps.json');
    expect([trace.ops.count, trace.steps.length, trace.ranks.length, trace.dependencies.count]).toEqual([19, 2, 2, 17]);
    expect(assumptions(trace)[0]).toBe('6/11 inputs bound to a transfer by the order of time');
  });

  it('import: five runs on a GPU, merged', () => {
    const trace = real('ikh_profiles_GPU_timeline_03_merged_5_runs.json');
    expect([trace.ops.count, trace.steps.length]).toEqual([626, 5]);
    expect(assumptions(trace)).toEqual([
      '25/625 inputs that no recorded op made (fed, or folded into a constant): taken to be there',
      '5/625 inputs from another device without a recorded transfer: taken to need none',
    ]);
  });
});
