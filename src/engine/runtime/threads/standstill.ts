import { type ExecutionPlan, outputsOf } from '../../compile/stages.ts';
import { waysTooFarApart } from '../calls/failure.ts';
import type { Activity } from '../ring/activity.ts';
import type { RingConsumer } from '../ring/index.ts';

interface WatchedLane {
  readonly stage: number;
  readonly activity: Activity;
}

export interface StandstillParts {
  readonly plan: ExecutionPlan;
  readonly lanes: readonly WatchedLane[];
  readonly rings: readonly RingConsumer[];
  /** Bytes by which channels may grow. */
  readonly budget: number;
  readonly consumerWaits: () => boolean;
  readonly failed: (error: Error) => void;
}

const LOOK_MS = 10;
const FIRST_ALLOWANCE = 64 * 1024;
/** So often in a row nobody moves although nobody is in the way: that is a mistake of ours, and must not be a hang. */
const MOST_PUZZLED = 1000;

/**
 * Where what parted comes together again, everyone may come to wait for everyone: one way is full, and the other yields
 * nothing before it gets more. Then the full channel is made larger, as far as the memory budget allows.
 *
 * That a lane says it waits proves little: what it waits for may have come, and the lane had no core yet on which to see
 * it. So when everyone seems to wait, all are asked to look again. Only when all have done so, found nothing, and none has
 * moved since the question, does nobody go on by himself, however slow the machine is.
 */
export class Standstill {
  readonly #parts: StandstillParts;
  readonly #timer: NodeJS.Timeout;
  #moves = '';
  /** Everyone seemed to wait and was asked; nobody has moved since. */
  #asked = false;
  #puzzled = 0;

  constructor(parts: StandstillParts) {
    this.#parts = parts;
    this.#timer = setInterval(() => {
      try {
        this.#look();
      } catch (error) {
        this.close();
        parts.failed(error as Error);
      }
    }, LOOK_MS).unref();
  }

  /** It can come to this only where an operator is read by several. */
  static possible = (plan: ExecutionPlan): boolean => plan.stages.some((_, stage) => outputsOf(plan, stage).length > 1);

  close(): void {
    clearInterval(this.#timer);
  }

  #look(): void {
    const { plan, lanes, consumerWaits } = this.#parts;
    const before = this.#moves;
    this.#moves = lanes.map(({ activity }) => activity.moves).join();
    if (this.#moves !== before || !consumerWaits() || lanes.some(lane => this.#canMove(lane))) {
      this.#asked = false;
      this.#puzzled = 0;
      return;
    }
    if (!this.#asked) {
      this.#ask();
      return;
    }
    if (lanes.some(({ activity }) => activity.state !== 'gone' && !activity.hasLooked)) return;
    const full = lanes.flatMap(({ stage, activity }) => {
      const wait = activity.state;
      if (wait === undefined || wait === 'gone') return [];
      const outputs = outputsOf(plan, stage);
      return outputs.length > 1 && outputs.includes(wait.link) ? [wait.link] : [];
    });
    for (const link of new Set(full)) this.#grow(link);
    if (full.length === 0 && ++this.#puzzled >= MOST_PUZZLED) {
      throw new Error(`no lane can go on, and none is to blame: ${this.#tell()}`);
    }
    this.#ask();
  }

  #ask(): void {
    this.#asked = true;
    for (const { activity } of this.#parts.lanes) activity.ask();
    for (const ring of this.#parts.rings) ring.wake();
  }

  #tell(): string {
    return this.#parts.lanes
      .map(({ stage, activity }) => `${this.#parts.plan.stages[stage]?.id}: ${JSON.stringify(activity.state)}`)
      .join(', ');
  }

  #canMove({ activity }: WatchedLane): boolean {
    const { state } = activity;
    if (state === 'gone') return false;
    return state === undefined || this.#parts.rings[state.link]?.satisfies(state) !== false;
  }

  #grow(link: number): void {
    const { plan, rings, budget } = this.#parts;
    const ring = rings[link];
    if (ring === undefined) return;
    const given = rings.reduce((sum, { allowance }) => sum + allowance, 0);
    const more = Math.min(Math.max(FIRST_ALLOWANCE, ring.allowance), budget - given);
    if (more < FIRST_ALLOWANCE) {
      const { from = -1 } = plan.links[link] ?? {};
      throw waysTooFarApart(plan.stages[from]?.nodes.at(-1)?.id ?? '', budget);
    }
    ring.allowance += more;
  }
}
