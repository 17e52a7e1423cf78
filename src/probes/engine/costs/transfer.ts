import { objectsIn } from '../../../engine/contract/element-size.ts';
import { Clock } from '../../../engine/runtime/books/clock.ts';
import { allocateRing, RingConsumer, type RingMemory, RingProducer } from '../../../engine/runtime/ring/index.ts';
import { MemoryGuard } from '../../../engine/runtime/stage/memory-guard.ts';
import { RingInput } from '../../../engine/runtime/threads/ring-input.ts';
import { RingOutput } from '../../../engine/runtime/threads/ring-output.ts';
import { capacityOf, plainShape } from '../../../graph/channel-shape.ts';
import { nonNegativeFit, type Observation } from '../../../math/least-squares.ts';
import { median } from '../../../math/statistics.ts';
import type { Cost, PipelineCosts, TransferCosts } from '../../../model/pipeline-costs.ts';
import { openThreadClock, type ThreadClock } from '../../host/thread-clock.ts';
import { allocateBarrier, Barrier } from './barrier.ts';
import { costOf } from './cost-of.ts';
import type { CostLanes } from './lanes.ts';
import { type PayloadName, payloadsOf } from './payloads.ts';

interface Point {
  readonly payload: PayloadName;
  /** Elements of a chunk. */
  readonly elements: number;
}

/** Chunks of few and of many elements, of little and of much in each. */
const DESIGN: readonly Point[] = [
  { payload: 'number', elements: 1 },
  { payload: 'number', elements: 64 },
  { payload: 'number', elements: 1024 },
  { payload: 'record', elements: 1 },
  { payload: 'record', elements: 32 },
  { payload: 'record', elements: 512 },
  { payload: 'line', elements: 4 },
  { payload: 'line', elements: 64 },
  { payload: 'vector', elements: 1 },
  { payload: 'vector', elements: 32 },
  { payload: 'vector', elements: 256 },
  { payload: 'vectors', elements: 4 },
  { payload: 'vectors', elements: 32 },
  { payload: 'tensor', elements: 1 },
  { payload: 'tensor', elements: 8 },
  { payload: 'image', elements: 1 },
];

/** Chunks that a side hands on between two readings of its clock, and how often it does in a round. */
const CHUNKS = 8;
const STEPS = 5;
/** Bytes of the largest chunk above and its columns' heads. */
const CHUNK_BYTES = 512 * 1024;

export interface TransferTask {
  readonly kind: 'send' | 'receive';
  readonly barrier: SharedArrayBuffer;
  /** One for each point. */
  readonly rings: readonly RingMemory[];
  /** Rounds through all points. */
  readonly rounds: number;
}

/** One side's account of a point in a round. */
interface TransferAccount {
  /** CPU of a chunk: the median of the steps, ns. */
  readonly cpuNs: number;
  /** CPU of this thread, and of the process, over all of them, ns. */
  readonly threadNs: number;
  readonly processNs: number;
  /** Of a chunk; the sender knows. */
  readonly bytes: number;
  readonly arrays: number;
  readonly objects: number;
}

/** By round, then by point. */
type TransferAccounts = readonly (readonly TransferAccount[])[];

/**
 * One side of all points of the design, in turn: in each step the sender fills one half of a ring while the receiver empties the
 * other, so both threads work at once and neither is ever woken within a step. Each point keeps its encoder and decoder over all rounds,
 * as a lane does: what they compile for a kind of element is compiled once.
 */
export function transfer({ kind, barrier, rings, rounds }: TransferTask): TransferAccounts {
  const meeting = new Barrier(barrier, 2);
  const clock = openThreadClock();
  const sides = DESIGN.map((point, at) => {
    const ring = rings[at];
    if (ring === undefined) throw new Error(`there is no ring for point ${at}`);
    return kind === 'send' ? sender(ring, point) : receiver(ring);
  });
  try {
    return Array.from({ length: rounds }, () => sides.map(side => account(kind, side, meeting, clock)));
  } finally {
    clock.close();
  }
}

function account(kind: TransferTask['kind'], side: Side, meeting: Barrier, clock: ThreadClock): TransferAccount {
  const handedBefore = { bytes: side.bytes(), arrays: side.arrays() };
  meeting.wait();
  const processBefore = process.cpuUsage();
  clock.read();
  const threadBefore = clock.cpu;
  const cpuNs: number[] = [];
  for (let step = 0; step <= STEPS; step++) {
    const isAtWork = kind === 'send' ? step < STEPS : step > 0;
    clock.read();
    const before = clock.cpu;
    for (let chunk = 0; isAtWork && chunk < CHUNKS; chunk++) side.handOn();
    clock.read();
    if (isAtWork) cpuNs.push((clock.cpu - before) / CHUNKS);
    meeting.wait();
  }
  clock.read();
  const { user, system } = process.cpuUsage(processBefore);
  return {
    cpuNs: median(cpuNs),
    threadNs: clock.cpu - threadBefore,
    processNs: (user + system) * 1000,
    bytes: (side.bytes() - handedBefore.bytes) / (CHUNKS * STEPS),
    arrays: (side.arrays() - handedBefore.arrays) / (CHUNKS * STEPS),
    objects: side.objects,
  };
}

interface Side {
  /** A chunk. */
  handOn(): void;
  /** What it has handed on so far; the sender counts. */
  bytes(): number;
  arrays(): number;
  /** Of a chunk. */
  readonly objects: number;
}

function sender(ring: RingMemory, { payload, elements }: Point): Side {
  const clock = new Clock(process.hrtime.bigint());
  const output = new RingOutput([new RingProducer(ring, clock)], clock, {
    identity: false,
    aligned: false,
    rowLength: 0,
    whole: 1,
    start: undefined,
    chunkElements: elements,
    mostElements: undefined,
    readers: [1],
    memory: new MemoryGuard(Number.MAX_SAFE_INTEGER, () => Number.MAX_SAFE_INTEGER),
  });
  const made = payloadsOf(payload, elements);
  return {
    handOn: () => {
      for (const element of made) {
        if (output.count < output.values.length) output.values[output.count] = element;
        else output.values.push(element);
        if (++output.count >= output.limit) output.full();
      }
    },
    bytes: () => output.bytes,
    arrays: () => output.arrays,
    objects: made.reduce<number>((sum, element) => sum + objectsIn(element), 0),
  };
}

function receiver(ring: RingMemory): Side {
  const input = new RingInput(new RingConsumer(ring, new Clock(process.hrtime.bigint())), false, 0);
  return {
    handOn: () => {
      input.used(input.next(), 0, 0);
    },
    bytes: () => 0,
    arrays: () => 0,
    objects: 0,
  };
}

const shape = plainShape(2 * CHUNKS, 2 * CHUNKS * CHUNK_BYTES);

/** The first rounds compile the code. */
const WARM_UP = 5;

/** What handing on takes either side, and the garbage collector beside them. */
export async function measureTransfer(
  lanes: CostLanes,
  rounds: number,
): Promise<Pick<PipelineCosts, 'send' | 'receive' | 'collectCpuNsPerArray'>> {
  // All rings have the same memory, as one is in use at a time: its pages are fresh in the first round alone.
  const data = new SharedArrayBuffer(capacityOf(shape));
  const task = {
    rings: DESIGN.map(() => ({ ...allocateRing(shape), data })),
    barrier: allocateBarrier(),
    rounds: WARM_UP + rounds,
  };
  const [sent, received] = (
    await Promise.all([
      lanes.ask<TransferAccounts>(0, { kind: 'send', ...task } satisfies TransferTask),
      lanes.ask<TransferAccounts>(1, { kind: 'receive', ...task } satisfies TransferTask),
    ])
  ).map(accounts => accounts.slice(WARM_UP));
  if (sent === undefined || received === undefined) throw new Error('a side of the transfer gave no account');
  return {
    send: sideCosts(sent.map(accounts => observations(accounts, accounts))),
    receive: sideCosts(received.map((accounts, round) => observations(accounts, sent[round] ?? []))),
    collectCpuNsPerArray: costOf(sent.map((accounts, round) => collecting(accounts, received[round] ?? []))),
  };
}

const observations = (
  accounts: readonly TransferAccount[],
  sent: readonly TransferAccount[],
): readonly (Observation & Point)[] =>
  DESIGN.map((point, at) => ({
    ...point,
    terms: [1, point.elements, sent[at]?.bytes ?? 0, sent[at]?.arrays ?? 0, sent[at]?.objects ?? 0],
    value: accounts[at]?.cpuNs ?? 0,
  }));

/** Coefficients of one side, and how far what they add up to is off what was measured: by how much the kind of element matters beyond them. */
function sideCosts(rounds: readonly (readonly (Observation & Point)[])[]): TransferCosts {
  const fits = rounds.map(nonNegativeFit);
  const term = (at: number): Cost => costOf(fits.map(fit => fit[at] ?? 0));
  const medians = fits[0]?.map((_, at) => term(at).median) ?? [];
  const modelled = ({ terms }: Observation): number =>
    terms.reduce((sum, each, at) => sum + each * (medians[at] ?? 0), 0);
  const seen = DESIGN.map((_, at) => {
    const points = rounds.flatMap(round => round[at] ?? []);
    const [, , , arrays = 0, objects = 0] = points[0]?.terms ?? [];
    return {
      kind: arrays > 0 ? 'arrays' : objects > 0 ? 'objects' : 'numbers',
      residual: median(points.map(point => point.value / modelled(point))),
    };
  });
  const residual = (kind: string): Cost => costOf(seen.filter(each => each.kind === kind).map(each => each.residual));
  return {
    cpuNsPerChunk: term(0),
    cpuNsPerElement: term(1),
    cpuNsPerByte: term(2),
    cpuNsPerArray: term(3),
    cpuNsPerObject: term(4),
    residuals: { numbers: residual('numbers'), objects: residual('objects'), arrays: residual('arrays') },
  };
}

/** CPU of the runtime's own threads per array: that of the process, less that of both sides. */
function collecting(sent: readonly TransferAccount[], received: readonly TransferAccount[]): number {
  const withArrays = sent.flatMap((account, at) => (account.arrays > 0 ? [{ account, other: received[at] }] : []));
  const others = withArrays.reduce(
    (sum, { account, other }) => sum + Math.max(0, account.processNs - account.threadNs - (other?.threadNs ?? 0)),
    0,
  );
  const arrays = withArrays.reduce((sum, { account }) => sum + account.arrays, 0);
  return others / (arrays * CHUNKS * STEPS);
}
