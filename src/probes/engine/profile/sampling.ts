import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { VenturiError } from '../../../model/errors.ts';
import type { ProfileFacts } from '../../../model/profile.ts';
import { PROFILE_FACTS, PROFILE_FOLDER, PROFILE_SAMPLES } from '../../../store/profile-files.ts';
import { FrameFiles } from './frame-files.ts';
import { admit, arrived, isInline, newGate } from './gate.ts';
import { setSlack, slackFor } from './timer-slack.ts';
import { type TraceEvent, TraceReader } from './trace-events.ts';

/** Samples of every thread's lines, and the times at which V8 compiled. */
const CATEGORIES = ['disabled-by-default-v8.cpu_profiler', 'disabled-by-default-v8.compile'];
/** With no slack at all V8 takes about 9,300 samples a second (100 µs asleep, some µs to take one). */
export const HIGHEST_RATE = 9000;
/** A longer slack does not hold: interrupts for others wake the sampling thread, and 300 asked became 2,600. */
export const LOWEST_RATE = 500;
/** V8 samples the main thread too. Where it is no lane, nobody wants to know, and each sample costs as much as one of a lane. */
const BYSTANDER_SLACK_NS = 1e8;
const LOOK_MS = 2;
/** A lane that comes later than this after the others is not waited for: sampling begins anew when it is there. */
const LATE_MS = 500;

/** Samples all threads of this process through the inspector's tracing stream, into a run's folder. */
export class Sampling {
  readonly gate = newGate();
  readonly slackNs: number;
  readonly #session = new Session();
  readonly #folder: string;
  readonly #facts: ProfileFacts;
  #pieces = 0;
  readonly #reader: TraceReader;
  #over = false;
  #problem: string | undefined;

  constructor(folder: string, rate: number, authorUrl: string) {
    if (process.platform !== 'linux') {
      throw new VenturiError('VENTURI_PROFILE_UNAVAILABLE', 'Lanes can be told apart in a profile on Linux only.', {
        remedy: 'Record the run without samples: venturi run FILE --record NAME. It has the CPU of every operator.',
      });
    }
    this.slackNs = slackFor(rate);
    const own = join(folder, PROFILE_FOLDER);
    mkdirSync(own, { recursive: true });
    this.#facts = { profiler: `V8 ${process.versions.v8}`, asked: rate };
    this.#folder = own;
    writeFileSync(join(own, PROFILE_FACTS), JSON.stringify(this.#facts));
    this.#reader = new TraceReader(new FrameFiles(authorUrl));
  }

  /** Begins when `lanes` have come to the gate, and anew for each that comes later. */
  begin(lanes: number): void {
    this.#session.connect();
    this.#session.on('NodeTracing.dataCollected', ({ params }) => this.#keep(params.value as unknown as TraceEvent[]));
    void this.#admit(lanes);
  }

  async #admit(lanes: number): Promise<void> {
    let admitted = 0;
    let seen = 0;
    let since = performance.now();
    while (!this.#over) {
      const count = arrived(this.gate);
      if (count > seen) since = performance.now();
      seen = count;
      if (count > admitted && (count >= lanes || performance.now() - since > LATE_MS)) {
        await this.#start(admitted > 0);
        admitted = count;
        admit(this.gate, count);
      }
      // Only lanes that take the place of others come after the first.
      await setTimeout(admitted >= lanes ? LATE_MS : LOOK_MS, undefined, { ref: false });
    }
  }

  async #start(isAgain: boolean): Promise<void> {
    if (isAgain) await this.#stop();
    setSlack(isInline(this.gate) ? this.slackNs : BYSTANDER_SLACK_NS);
    await this.#session.post('NodeTracing.start', { traceConfig: { includedCategories: CATEGORIES } });
    setSlack();
  }

  async #stop(): Promise<void> {
    const complete = new Promise(resolve => this.#session.once('NodeTracing.tracingComplete', resolve));
    await this.#session.post('NodeTracing.stop');
    await complete;
  }

  #keep(events: readonly TraceEvent[]): void {
    const entries = this.#reader.entriesOf(events);
    if (entries.length === 0 || this.#problem !== undefined) return;
    try {
      const lines = entries.map(entry => JSON.stringify(entry));
      appendFileSync(join(this.#folder, PROFILE_SAMPLES), `${lines.join('\n')}\n`);
      this.#pieces += entries.length;
    } catch (error) {
      this.#problem = `Samples are no longer kept: ${(error as Error).message}`;
    }
  }

  /** How much there is of it: what is gone later is missed. */
  #finish(): void {
    try {
      const facts: ProfileFacts = { ...this.#facts, lanes: arrived(this.gate), pieces: this.#pieces };
      writeFileSync(join(this.#folder, PROFILE_FACTS), JSON.stringify(facts));
    } catch (error) {
      this.#problem ??= `The profile is not whole: ${(error as Error).message}`;
    }
  }

  /** All samples are in the run once it resolves; it tells why where they are not. */
  async end(): Promise<readonly string[]> {
    this.#over = true;
    if (arrived(this.gate) > 0) await this.#stop();
    this.#session.disconnect();
    this.#finish();
    return this.#problem === undefined ? [] : [this.#problem];
  }
}
