import { entryOf, groupedBy } from '../../math/groups.ts';
import { highest } from '../../math/totals.ts';
import { type LoaderFact, type OperatorFact, type ProcessFact, parseFact } from '../../model/loader-facts.ts';
import { METRICS } from '../../model/metric.ts';
import { RECORD_KIND } from '../../model/record.ts';
import type { LaneInfo, RecordBlock } from '../../model/span.ts';
import { type Batch, newBatch, newPreparation, type Preparation } from './batch.ts';
import { ElementNesting, OperatorTimes } from './element-times.ts';
import { LoaderNames } from './loader-names.ts';

/** One of the slowest elements of a lane. */
export interface SlowElement {
  readonly name: string;
  readonly loader: string;
  readonly duration: number;
  readonly start: number;
}

/** A lane that prepares batches. */
export interface PreparerLane {
  readonly lane: LaneInfo;
  readonly loader: string;
  readonly tasks: ReadonlyMap<number, Preparation>;
  /** ns spent waiting for a task. */
  readonly idle: number;
  /** The most memory its process had, in bytes; undefined where that was not read. */
  readonly memory: number | undefined;
}

export interface PassSpan {
  readonly loader: string;
  readonly consumer: number;
  readonly pass: number;
  readonly start: number;
  readonly end: number;
}

/** Work on data that was over before there was a loader. */
export interface AheadSpan {
  readonly name: string;
  readonly start: number;
  readonly end: number;
}

/** The most that was taken of the space for memory that processes share, and how much of it there is, in bytes. */
export interface SharedSpace {
  readonly used: number;
  readonly present: number;
}

/** Everything a run says about batches, before any judgement. */
export interface BatchFacts {
  readonly batches: readonly Batch[];
  /** Those that came to their end. */
  readonly passes: readonly PassSpan[];
  /** Of each pass, from its beginning to its first order: workers are started. */
  readonly beginnings: readonly PassSpan[];
  readonly ahead: readonly AheadSpan[];
  readonly sharedSpace: SharedSpace | undefined;
  readonly preparers: readonly PreparerLane[];
  /** By loader, then by operator, in the order in which they were met. */
  readonly operators: ReadonlyMap<string, ReadonlyMap<string, OperatorTimes>>;
  readonly slowest: readonly SlowElement[];
  readonly loaders: ReadonlyMap<string, LoaderFact>;
  readonly operatorFacts: ReadonlyMap<string, OperatorFact>;
  /** Facts of the consuming process. */
  readonly process: ProcessFact['process'] | undefined;
  /** Which rank of a training a consuming process is, by its id, where it said so. */
  readonly ranks: ReadonlyMap<number, string>;
}

/** Spans of a batch on the consumer's side, and what each says of it. */
const PHASES = {
  dispatch: dispatched => ({ dispatched }),
  arrive: arrived => ({ arrived }),
  pin: (pinStart, pinEnd) => ({ pinStart, pinEnd }),
  wait: (waitStart, waitEnd) => ({ waitStart, waitEnd }),
  consume: (_, consumeEnd) => ({ consumeEnd }),
  'device-wait': (start, end) => ({ deviceWait: end - start }),
  device: (start, end) => ({ deviceStep: end - start }),
} satisfies Record<string, (start: number, end: number) => Partial<Batch>>;
type Phase = keyof typeof PHASES;
const isPhase = (word: string): word is Phase => Object.hasOwn(PHASES, word);
const PREPARING = ['idle', 'prepare', 'put'] as const;

type Role =
  | { readonly type: Phase; readonly loader: string }
  | { readonly type: 'begin' | 'pass'; readonly loader: string }
  | { readonly type: (typeof PREPARING)[number] }
  | { readonly type: 'operator' | 'element' | 'ahead'; readonly name: string }
  | { readonly type: 'other' };

/** Meaning of a subject's key. */
export function roleOf(key: string): Role {
  const preparing = PREPARING.find(word => word === key);
  if (preparing !== undefined) return { type: preparing };
  const colon = key.indexOf(':');
  const [space, name] = [key.slice(0, colon), key.slice(colon + 1)];
  if (space === 'operator' || space === 'element' || space === 'ahead') return { type: space, name };
  if (space === 'begin' || space === 'pass') return { type: space, loader: name };
  return isPhase(space) ? { type: space, loader: name } : { type: 'other' };
}

interface LaneState {
  readonly lane: LaneInfo;
  loader: string;
  readonly tasks: Map<number, Preparation>;
  readonly nesting: ElementNesting;
  idle: number;
  memory: number | undefined;
  /** What continuation records continue. */
  batch: Batch | undefined;
  task: Preparation | undefined;
}

/** Work of a process whose orders were not recorded. */
const UNKNOWN_LOADER = 'unknown loader';

/** Gathers the batches of a run from its records; one pass, lane after lane, consumers before the workers they start. */
export class BatchFold {
  readonly #roles: Role[] = [];
  readonly #batches = new Map<number, Map<number, Batch>>();
  readonly #lanes: LaneState[] = [];
  readonly #slowest = new Map<string, SlowElement>();
  /** Facts as they come. */
  readonly #facts = {
    passes: [] as PassSpan[],
    beginnings: [] as PassSpan[],
    ahead: [] as AheadSpan[],
    operators: new Map<string, Map<string, OperatorTimes>>(),
    loaders: new Map<string, LoaderFact>(),
    operatorFacts: new Map<string, OperatorFact>(),
    ranks: new Map<number, string>(),
  };
  /** Loaders that gave orders to a process, and when they began to: a process id may come back. */
  readonly #orders = new Map<number, { readonly loader: string; readonly since: number }[]>();
  #sharedSpace: SharedSpace | undefined;
  #process: ProcessFact['process'] | undefined;
  readonly #names = new LoaderNames();
  #state: LaneState | undefined;

  block(block: RecordBlock, subjects: readonly string[]): void {
    for (let number = this.#roles.length; number < subjects.length; number++) this.#learn(subjects[number] ?? '');
    if (this.#state?.lane.index !== block.lane.index) this.#state = this.#openLane(block.lane);
    const state = this.#state;
    const { count, kind, flags, subject, sequence, start, duration } = block;
    for (let row = 0; row < count; row++) {
      const role = this.#roles[subject[row] ?? -1];
      if (role === undefined) continue;
      const at = sequence[row] ?? 0;
      const from = start[row] ?? 0;
      const long = duration[row] ?? 0;
      switch (kind[row]) {
        case RECORD_KIND.span:
          this.#span(state, role, at, from, long);
          break;
        case RECORD_KIND.inner:
          if (role.type === 'operator') state.nesting.inner(role.name, from, long);
          break;
        case RECORD_KIND.cpu:
          if (role.type === 'prepare' && state.task !== undefined)
            Object.assign(state.task, { cpu: from, runDelay: long });
          else if (role.type === 'wait' && state.batch !== undefined)
            Object.assign(state.batch, { waitCpu: from, waitQueued: long });
          else if (role.type === 'consume' && state.batch !== undefined)
            Object.assign(state.batch, { consumeCpu: from, consumeQueued: long });
          break;
        case RECORD_KIND.bytes:
          if (role.type === 'prepare' && state.task !== undefined) state.task.bytes = long;
          break;
        case RECORD_KIND.elements:
          if (role.type === 'prepare' && state.task !== undefined) state.task.elements = from;
          break;
        case RECORD_KIND.counter:
          this.#counter(state, flags[row] ?? 0, long);
          break;
        case RECORD_KIND.task:
          if (state.batch === undefined) break;
          this.#order(state.batch, from, long);
          // Without workers the consumer's own lane prepares what it has just ordered.
          if (long === state.lane.pid) state.loader = state.batch.loader;
          break;
      }
    }
  }

  #learn(key: string): void {
    this.#roles.push(roleOf(key));
    const fact = parseFact(key);
    if (fact === undefined) return;
    if ('loader' in fact) this.#facts.loaders.set(this.#names.learn(fact), fact);
    else if ('operator' in fact) this.#facts.operatorFacts.set(fact.operator, fact);
    else {
      this.#process = { ...this.#process, ...fact.process };
      const { pid, rank } = fact.process;
      if (typeof pid === 'number' && typeof rank === 'string') this.#facts.ranks.set(pid, rank);
    }
  }

  #openLane(lane: LaneInfo): LaneState {
    this.#state?.nesting.begin(undefined, 0);
    const orders = this.#orders.get(lane.pid) ?? [];
    const nearest = highest(orders, ({ since }) => -Math.abs(since - lane.opened));
    const state: LaneState = {
      lane,
      loader: nearest?.loader ?? UNKNOWN_LOADER,
      tasks: new Map(),
      nesting: new ElementNesting(operator => this.#times(state.loader, operator)),
      idle: 0,
      memory: undefined,
      batch: undefined,
      task: undefined,
    };
    this.#lanes.push(state);
    return state;
  }

  #times(loader: string, operator: string): OperatorTimes {
    const operators = entryOf(this.#facts.operators, loader, () => new Map<string, OperatorTimes>());
    return entryOf(operators, operator, () => new OperatorTimes());
  }

  #span(state: LaneState, role: Role, sequence: number, start: number, duration: number): void {
    const end = start + duration;
    // An element is complete when something else begins.
    if (role.type !== 'element') state.nesting.begin(role.type === 'operator' ? role.name : undefined, duration);
    switch (role.type) {
      case 'idle':
        state.idle += duration;
        return;
      case 'prepare':
        state.task = newPreparation(start, end);
        state.tasks.set(sequence, state.task);
        return;
      case 'put': {
        const task = state.tasks.get(sequence);
        if (task !== undefined) task.put = end;
        return;
      }
      case 'element':
        this.#slow({ name: role.name, loader: state.loader, duration, start });
        return;
      case 'ahead':
        this.#facts.ahead.push({ name: role.name, start, end });
        return;
      case 'begin':
      case 'pass': {
        const spans = role.type === 'pass' ? this.#facts.passes : this.#facts.beginnings;
        const loader = this.#names.of(state.lane.pid, role.loader);
        spans.push({ loader, consumer: state.lane.pid, pass: sequence, start, end });
        return;
      }
      case 'operator':
      case 'other':
        return;
      default:
        state.batch = this.#batch(state.lane.pid, this.#names.of(state.lane.pid, role.loader), sequence);
        Object.assign(state.batch, PHASES[role.type](start, end));
    }
  }

  #counter(state: LaneState, code: number, value: number): void {
    const { used = 0, present = 0 } = this.#sharedSpace ?? {};
    if (code === METRICS.residentMemory.code) state.memory = Math.max(state.memory ?? 0, value);
    else if (code === METRICS.sharedSpaceUsed.code) this.#sharedSpace = { used: Math.max(used, value), present };
    else if (code === METRICS.sharedSpace.code) this.#sharedSpace = { used, present: value };
  }

  #batch(consumer: number, loader: string, number: number): Batch {
    const numbered = entryOf(this.#batches, consumer, () => new Map<number, Batch>());
    return entryOf(numbered, number, () => newBatch(loader, consumer, number));
  }

  #order(batch: Batch, packed: number, preparer: number): void {
    batch.task = packed % 2 ** 32;
    batch.pass = Math.floor(packed / 2 ** 32);
    batch.preparer = preparer;
    const orders = entryOf(this.#orders, preparer, () => []);
    if (orders.at(-1)?.loader !== batch.loader || batch.task === 0) {
      orders.push({ loader: batch.loader, since: batch.dispatched });
    }
  }

  /** The same element may be slow in every pass: its slowest time stands for it. */
  #slow(element: SlowElement): void {
    const key = `${element.loader}\0${element.name}`;
    const known = this.#slowest.get(key);
    if (known === undefined || element.duration > known.duration) this.#slowest.set(key, element);
  }

  result(): BatchFacts {
    this.#state?.nesting.begin(undefined, 0);
    const batches = [...this.#batches.values()].flatMap(numbered => [...numbered.values()]);
    const lanes = groupedBy(this.#lanes, ({ lane }) => lane.pid);
    for (const batch of batches) join(batch, lanes.get(batch.preparer) ?? []);
    return {
      ...this.#facts,
      batches,
      sharedSpace: this.#sharedSpace,
      preparers: this.#lanes.filter(state => state.tasks.size > 0 || state.idle > 0),
      slowest: [...this.#slowest.values()].sort((a, b) => b.duration - a.duration),
      process: this.#process,
    };
  }
}

/** The preparing side of a batch: its task in the lane with that process id, the first after the order was given. */
function join(batch: Batch, lanes: readonly LaneState[]): void {
  const tasks = lanes
    .flatMap(lane => lane.tasks.get(batch.task) ?? [])
    .filter(task => !(task.prepareEnd < batch.dispatched));
  const first = highest(tasks, task => -task.prepareStart);
  Object.assign(batch, first);
}
