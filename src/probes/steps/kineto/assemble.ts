import { entryOf } from '../../../math/groups.ts';
import { partitionPoint } from '../../../math/partition-point.ts';
import { sumOf } from '../../../math/totals.ts';
import type { OpWork, StepTrace } from '../../../model/step-trace.ts';
import { StepTraceBuilder } from '../../../model/step-trace-builder.ts';
import type { ExecutionNodes } from '../execution-trace/nodes.ts';
import { findThreadWaits, type Gap, type ThreadWait } from './bursts.ts';
import { isCommunicationKernel, isHostCommunication, isInput, waitOf } from './call.ts';
import { CATEGORY, isOnDevice } from './category.ts';
import { findHostCollectives, type HostCollective } from './host-collectives.ts';
import { joinedFlows } from './joined-flows.ts';
import { findLaunches, type Launches } from './launches.ts';
import { findMarks, type Marks, stepCandidates, stepNumber } from './marks.ts';
import { enclosingCollectives, parentsOf } from './nesting.ts';
import { endOf, isOnHost, nameOf, type RawEvents } from './raw-events.ts';
import { findWaits, isBlockingCopy, type Waits } from './waits.ts';

/** What the file says of itself beside its events. */
export interface KinetoFacts {
  readonly path: string;
  readonly rank: number;
  readonly worldSize: number | undefined;
  readonly device: string | undefined;
  /** Moment from which the events' times count, ns as a decimal string. */
  readonly base: string;
  readonly stepMarker: string | undefined;
  readonly executionTrace: ExecutionNodes | undefined;
  /** Complete events that were met; those without a usable time; frames of Python stacks. */
  readonly met: number;
  readonly damaged: number;
  readonly frames: number;
}

/** Makes a trace of training steps of the events that were kept. */
export function assemble(raw: RawEvents, facts: KinetoFacts): StepTrace {
  return new Assembly(raw, facts).trace();
}

class Assembly {
  readonly #raw: RawEvents;
  readonly #facts: KinetoFacts;
  readonly #builder = new StepTraceBuilder();
  readonly #marks: Marks;
  readonly #launches: Launches;
  readonly #waits: Waits;
  readonly #threadWaits: readonly ThreadWait[];
  readonly #hostCollectives: readonly HostCollective[];
  readonly #stepOf: Int32Array;
  readonly #opOf: Int32Array;
  /** By the name of kernels that communicate and of which nothing says more. */
  readonly #kernelCollectives = new Map<string, number>();
  readonly #resourceOfTrack: number[] = [];
  /** Events that a burst encloses, and its op. */
  readonly #burstOf = new Map<number, number>();

  constructor(raw: RawEvents, facts: KinetoFacts) {
    this.#raw = raw;
    this.#facts = facts;
    this.#marks = findMarks(raw, facts.stepMarker, facts.path);
    const firstMark = this.#marks.events[0];
    this.#launches = findLaunches(raw, firstMark === undefined ? Number.NEGATIVE_INFINITY : endOf(raw, firstMark));
    this.#waits = findWaits(raw, this.#launches);
    this.#threadWaits = findThreadWaits(raw, this.#marks);
    this.#hostCollectives = findHostCollectives(raw, this.#marks);
    this.#stepOf = new Int32Array(raw.count).fill(-1);
    this.#opOf = new Int32Array(raw.count).fill(-1);
  }

  trace(): StepTrace {
    const { rank, worldSize, device } = this.#facts;
    const { process } = this.#raw.tracks[this.#marks.track] ?? {};
    this.#builder.rank({ rank, name: `rank ${rank}`, process, worldSize, device });
    this.#addSteps();
    for (const collective of this.#raw.collectives) this.#builder.collective(collective);
    this.#addBursts();
    this.#addOps();
    this.#addLaunches();
    this.#addWaits();
    this.#addHostCollectives();
    this.#addDataFlows();
    this.#say();
    return this.#builder.build('kineto', this.#facts.base);
  }

  #addSteps(): void {
    const raw = this.#raw;
    const { events: marks } = this.#marks;
    let [first, last] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
    for (let event = 0; event < raw.count; event++) {
      first = Math.min(first, raw.start[event] as number);
      last = Math.max(last, endOf(raw, event));
    }
    for (const [at, mark] of marks.entries()) {
      const span = { start: raw.start[mark] as number, duration: raw.duration[mark] as number };
      const name = nameOf(raw, mark);
      const step = this.#builder.step({ rank: 0, number: stepNumber(name, at), ...span });
      // What the training thread does beside operators and calls is its own time: the program's Python.
      const resource = this.#resource(this.#marks.track);
      this.#opOf[mark] = this.#builder.op({ name, work: 'other', resource, step, ...span });
    }
    if (marks.length === 0) this.#builder.step({ rank: 0, number: 0, start: first, duration: last - first });
    this.#assignSteps();
  }

  /** A host's event belongs to the step it starts in, a device's to that of the call that launched it; what was queued when the trace began to a step before it. */
  #assignSteps(): void {
    const raw = this.#raw;
    const { events: marks } = this.#marks;
    const stepAt = (event: number): number => {
      if (marks.length === 0) return 0;
      if (this.#launches.queuedBefore[event] === 1) return -1;
      const moment = raw.start[event] as number;
      const begun = partitionPoint(marks.length, at => (raw.start[marks[at] as number] as number) <= moment);
      const mark = marks[begun - 1];
      return mark !== undefined && moment < endOf(raw, mark) ? begun - 1 : -1;
    };
    for (let event = 0; event < raw.count; event++) {
      const call = this.#launches.callOf[event] as number;
      this.#stepOf[event] = stepAt(call < 0 ? event : call);
    }
  }

  #resource(track: number): number {
    const known = this.#resourceOfTrack[track];
    if (known !== undefined) return known;
    const { process = '', thread = '' } = this.#raw.tracks[track] ?? {};
    const isStream = this.#launches.queues.some(queue => queue.track === track);
    const device = Number(process);
    const resource = this.#builder.resource(
      isStream
        ? {
            name: `GPU ${process} stream ${thread}`,
            kind: 'device',
            rank: 0,
            ordered: true,
            ...(Number.isInteger(device) && device >= 0 ? { device } : {}),
          }
        : {
            name: track === this.#marks.track ? 'main thread' : `thread ${thread}`,
            kind: 'host',
            rank: 0,
            ordered: true,
          },
    );
    this.#resourceOfTrack[track] = resource;
    return resource;
  }

  /** A burst is an op of its own thread around its events, and a wait of the training thread while it lasts. */
  #addBursts(): void {
    const raw = this.#raw;
    const builder = this.#builder;
    for (const { step, bursts } of this.#threadWaits) {
      const spans = bursts.map(({ events }) => ({
        start: raw.start[events[0] as number] as number,
        end: endOf(raw, events.at(-1) as number),
      }));
      const start = Math.min(...spans.map(span => span.start));
      const end = Math.max(...spans.map(span => span.end));
      const mark = this.#marks.events[step] as number;
      const wait = builder.op({
        name: 'wait for another thread (backward)',
        work: 'sync',
        resource: this.#resource(this.#marks.track),
        start,
        duration: end - start,
        step,
        parent: this.#opOf[mark],
      });
      for (const [at, burst] of bursts.entries()) {
        const span = spans[at] as (typeof spans)[number];
        const op = builder.op({
          name: 'autograd engine',
          work: 'other',
          resource: this.#resource(burst.track),
          start: span.start,
          duration: span.end - span.start,
          step,
        });
        for (const event of burst.events) this.#burstOf.set(event, op);
        builder.dependency(wait, op, 'thread', { relation: 'start-start', guessed: true });
        builder.dependency(op, wait, 'thread', { relation: 'end-end', guessed: true });
      }
    }
  }

  #addOps(): void {
    const raw = this.#raw;
    const isMark = new Set(this.#marks.events);
    const parents = parentsOf(raw, isMark);
    const collectives = enclosingCollectives(raw);
    for (const event of raw.order) {
      const category = raw.category[event] as number;
      if (category === CATEGORY.sync || isMark.has(event)) continue;
      const work = this.#workOf(event);
      const call = this.#launches.callOf[event] as number;
      const own = raw.collective[event] as number;
      const launched = call >= 0 && work === 'communication' ? (collectives[call] as number) : -1;
      const parent = parents[event] as number;
      const described = own >= 0 ? own : launched;
      const size = raw.bytes[event] as number;
      this.#opOf[event] = this.#builder.op({
        name: nameOf(raw, event),
        work,
        resource: this.#resource(raw.track[event] as number),
        start: raw.start[event] as number,
        duration: raw.duration[event] as number,
        bytes: work === 'communication' && described >= 0 ? raw.collectives[described]?.bytes : size,
        step: this.#stepOf[event],
        parent: parent >= 0 ? this.#opOf[parent] : this.#burstOf.get(event),
        collective: work !== 'communication' ? -1 : described >= 0 ? described : this.#undescribed(nameOf(raw, event)),
      });
    }
  }

  #undescribed(name: string): number {
    return entryOf(this.#kernelCollectives, name, () => this.#builder.collective({ name }));
  }

  #workOf(event: number): OpWork {
    const raw = this.#raw;
    const name = nameOf(raw, event);
    switch (raw.category[event]) {
      case CATEGORY.kernel:
        return isCommunicationKernel(name) || (raw.collective[event] as number) >= 0 ? 'communication' : 'compute';
      case CATEGORY.copy:
        return 'copy';
      case CATEGORY.runtime:
        if ((this.#launches.launched[event] as number) > 0) return 'launch';
        return waitOf(name) === undefined ? 'runtime' : 'sync';
      case CATEGORY.annotation:
        if (isInput(name)) return 'input';
        return isHostCommunication(name) ? 'communication' : 'annotation';
      default:
        return isInput(name) ? 'input' : 'operator';
    }
  }

  #addLaunches(): void {
    const raw = this.#raw;
    for (const event of raw.order) {
      const call = this.#launches.callOf[event] as number;
      if (call < 0 || !isOnDevice(raw.category[event] as number)) continue;
      const [from, to] = [this.#opOf[call] as number, this.#opOf[event] as number];
      this.#builder.dependency(from, to, 'launch', { relation: 'start-start' });
      if (isBlockingCopy(raw, event, call)) {
        this.#builder.dependency(to, from, 'sync', { relation: 'end-end', guessed: true });
      }
    }
  }

  #addWaits(): void {
    for (const { from, to, guessed } of this.#waits.waits) {
      const relation = isOnHost(this.#raw, to) ? 'end-end' : 'end-start';
      this.#builder.dependency(this.#opOf[from] as number, this.#opOf[to] as number, 'sync', { relation, guessed });
    }
  }

  /** A collective begins when it is asked for; an op of the training thread waits for its end. */
  #addHostCollectives(): void {
    const builder = this.#builder;
    const waits = new Map<number, number>();
    for (const { event, call, waiting: operator, wait, needed } of this.#hostCollectives) {
      const op = this.#opOf[event] as number;
      const guessed = true;
      if (call !== undefined) {
        builder.dependency(this.#opOf[call] as number, op, 'launch', { relation: 'start-start', guessed });
      }
      if (operator !== undefined) {
        builder.dependency(op, this.#opOf[operator] as number, 'sync', { relation: 'end-end', guessed });
      } else if (wait !== undefined) {
        const waiting = waits.get(wait.start) ?? this.#waitFor(nameOf(this.#raw, event), wait);
        waits.set(wait.start, waiting);
        builder.dependency(op, waiting, 'sync', { relation: 'end-end', guessed });
      } else if (needed !== undefined && this.#stepOf[needed] === this.#stepOf[event]) {
        builder.dependency(op, this.#opOf[needed] as number, 'sync', { relation: 'end-start', guessed });
      }
    }
  }

  #waitFor(awaited: string, { step, start, end }: Gap): number {
    const parent = this.#opOf[this.#marks.events[step] as number];
    const resource = this.#resource(this.#marks.track);
    return this.#builder.op({
      name: `wait for ${awaited}`,
      work: 'sync',
      resource,
      start,
      duration: end - start,
      step,
      parent,
    });
  }

  #addDataFlows(): void {
    const { executionTrace } = this.#facts;
    if (executionTrace === undefined) return;
    const { flows, joined, operators } = joinedFlows(this.#raw, this.#launches, executionTrace.nodes);
    for (const [from, to] of flows) {
      this.#builder.dependency(this.#opOf[from] as number, this.#opOf[to] as number, 'data');
    }
    const builder = this.#builder;
    builder.assume(
      'operators that the execution trace does not have: nothing is known of their data',
      operators - joined,
      operators,
    );
    builder.assume('execution trace that breaks off: taken as far as it goes', executionTrace.isCut ? 1 : 0, 1);
  }

  #say(): void {
    const { withoutCall, queuedBefore, onDevice } = this.#launches;
    const builder = this.#builder;
    builder.assume(
      'kernels and copies that were queued when the trace began: of steps before it',
      sumOf(queuedBefore, one => one),
      onDevice,
    );
    builder.assume(
      'kernels and copies without the call that launched them: they wait for their stream alone',
      withoutCall,
      onDevice,
    );
    builder.assume(
      'waits for a stream or an event of which the trace does not say for what: taken from times',
      this.#waits.untold,
      this.#waits.calls,
    );
    const { queued, launches } = this.#waits;
    builder.assume('launches into a full queue: taken to wait for the work that ended meanwhile', queued, launches);
    const { met, damaged, frames } = this.#facts;
    builder.assume('events without a time: left out', damaged, met);
    builder.assume('events that are frames of Python stacks: left out', frames, met);
    const collectives = this.#hostCollectives.length;
    builder.assume(
      'collectives of host threads: who asked and who waited is taken from times',
      collectives,
      collectives,
    );
    const waits = this.#threadWaits.length;
    builder.assume('waits of the training thread for another (backward): taken from times', waits, waits);
    if (this.#marks.events.length === 0) builder.unmarked(stepCandidates(this.#raw));
  }
}
