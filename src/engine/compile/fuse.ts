import type { ElementCode, OperatorCode } from '../operators/kind.ts';
import { changesCount, FusedChain, type FusedOperator, type FuseOptions } from './fused-chain.ts';
import { Listing, type Task } from './listing.ts';
import { OUTSIDE, Passage } from './passage.ts';

export interface FusedSource {
  readonly text: string;
  readonly owners: readonly (number | undefined)[];
  /** By line, the first being 1. */
  readonly tasks: readonly (Task | undefined)[];
}

/**
 * Generates one loop for a chain of operators, as the body of a function of what `CompiledSegment` hands it. The function returns
 * `{ run, flush, reset, held, fold, save, load, discard, stopped, resume }`:
 * run(values, from, to, sequence, sub, base) pushes elements through, until the output is full, and says how far it came; flush(at) and reset(at) serve one operator at
 * the end of a pass; fold(count, elementsIn, elementsOut) adds what was counted since the last fold; save(at) and load(at, saved) are for
 * what one operator keeps; discard(at, count) drops the next `count` elements before it.
 */
export function fuse(operators: readonly FusedOperator[], options: FuseOptions): FusedSource {
  return new Fuser(new FusedChain(operators, options)).source();
}

class Fuser {
  readonly #listing = new Listing();
  readonly #chain: FusedChain;
  readonly #passage: Passage;
  readonly #line = (text: string): void => this.#listing.add(text);

  constructor(chain: FusedChain) {
    this.#chain = chain;
    this.#passage = new Passage(chain, this.#listing);
  }

  source(): FusedSource {
    const { nonce, timed, identity } = this.#chain.options;
    this.#line(`// ${nonce}`);
    this.#line(`'use strict';`);
    this.#chain.operators.forEach((_, at) => {
      this.#line(`const call${at} = calls[${at}];`);
      this.#line(`const context${at} = contexts[${at}];`);
      this.#line(`const draw${at} = draws[${at}];`);
    });
    this.#line('const values = sink.values;');
    if (identity) {
      this.#line('const outSequence = sink.sequence;');
      this.#line('const outSub = sink.sub;');
    }
    this.#line('let stopped = -1;');
    this.#chain.operators.forEach(({ discards }, at) => {
      this.#line(`let out${at} = 0;`);
      if (discards) this.#line(`let discard${at} = 0, discarded${at} = 0;`);
    });
    this.#listing.within('state', () => {
      this.#chain.operators.forEach(({ kind }, at) => {
        kind.state?.(this.#passage.operatorCode(at));
      });
    });
    if (identity) for (const at of this.#chain.handing) this.#line(`let held${at};`);
    for (const at of this.#chain.handing) {
      this.#handFunction(at, false);
      if (timed) this.#handFunction(at, true);
    }
    this.#run();
    this.#listing.within('count', () => this.#fold());
    const code = (at: number): OperatorCode => this.#passage.operatorCode(at);
    const flushed = (at: number): ElementCode =>
      this.#passage.elementCode(at, 'undefined', '0', '0', { ...OUTSIDE, many: true });
    const isHeld = (at: number): boolean => identity && this.#chain.handing.includes(at);
    this.#perOperator('flush', 'flush(at)', ({ kind }, at) => kind.flush && (() => kind.flush?.(flushed(at))));
    this.#perOperator('flush', 'reset(at)', ({ kind }, at) => kind.reset && (() => kind.reset?.(code(at))));
    this.#perOperator('loop', 'held(at)', (_, at) => (isHeld(at) ? () => this.#line(`return held${at};`) : undefined));
    this.#perOperator(
      'state',
      'save(at)',
      ({ kind }, at) => kind.save && (() => this.#line(`return ${kind.save?.(code(at))};`)),
    );
    this.#perOperator('state', 'load(at, saved)', ({ kind }, at) => kind.load && (() => kind.load?.(code(at))));
    this.#perOperator('loop', 'discard(at, count)', ({ discards }, at) =>
      discards ? () => this.#line(`discard${at} = count;`) : undefined,
    );
    this.#line(
      'return { run, flush, reset, held, fold, save, load, discard, stopped: () => stopped, resume: () => (stopped = -1) };',
    );
    return { text: this.#listing.text, owners: this.#listing.owners(), tasks: this.#listing.tasks() };
  }

  #run(): void {
    this.#loop('slice', false);
    this.#loop('settling', true);
    if (this.#chain.options.timed) {
      this.#runTimed();
      return;
    }
    this.#line('function run(values0, from, to, sequence0, sub0, base) {');
    this.#line(`return ${CHOSEN}(values0, from, to, sequence0, sub0, base);`);
    this.#line('}');
  }

  /** The loop. What it counts and keeps is in variables of its own while it runs. */
  #loop(name: string, settles: boolean): void {
    const owned = this.#chain.owned();
    this.#line(`function ${name}(values0, from, to, sequence0, sub0, base) {`);
    // A sampled element may have filled it; the loop relies on room for a row.
    this.#line('if (sink.count >= sink.limit) return from;');
    for (const { name: variable, counts } of owned) this.#line(`let ${variable}_ = ${counts ? 0 : variable};`);
    // Rows that lie flat are written by the loop itself, unless an operator before them hands on by a function.
    const flat = this.#chain.options.flat && this.#chain.handing.length === 0;
    if (flat) this.#line('let flat_ = sink.flat;');
    if (flat) this.#line('let ints_ = sink.ints;');
    if (flat)
      this.#line(`let edge_ = (sink.count + 1) * ${this.#chain.at(this.#chain.operators.length - 1).settings.size};`);
    // Arithmetic before the loop tells V8 that these are integers, else every turn checks and converts them again.
    this.#line('const first = from - 0;');
    this.#line('const count = to - first;');
    this.#line('let turn = 0;');
    this.#line('try {');
    this.#line('for (; turn < count; turn++) {');
    if (this.#chain.mayStop()) this.#line('if (stopped >= 0) break;');
    this.#line('const index = first + turn;');
    this.#input();
    this.#passage.from(0, 'value', 'sequence', 'sub', { ...OUTSIDE, drop: 'continue', loop: true, settles });
    this.#line('if (sink.count < sink.limit) continue;');
    this.#line('turn++;');
    this.#line('break;');
    this.#line('}');
    this.#line('} catch (error) {');
    this.#line('const index = first + turn;');
    this.#line('sink.failed = sequence0 === undefined ? base + index : sequence0[index];');
    this.#line('throw error;');
    if (owned.length > 0 || flat) this.#line('} finally {');
    for (const { name: variable, counts } of owned) this.#line(`${variable} ${counts ? '+=' : '='} ${variable}_;`);
    if (flat) this.#line('sink.flat = flat_;');
    this.#line('}');
    this.#line('return first + turn;');
    this.#line('}');
  }

  /** One element in so many passes a timed copy of the loop's body, in a function of its own: the loop stays small. */
  #runTimed(): void {
    this.#line('function sample(values0, index, sequence0, sub0, base) {');
    this.#line('try {');
    this.#input();
    this.#line('let time = sampler.now();');
    this.#passage.from(0, 'value', 'sequence', 'sub', { ...OUTSIDE, timed: true });
    this.#line('} catch (error) {');
    this.#line('sink.failed = sequence0 === undefined ? base + index : sequence0[index];');
    this.#line('throw error;');
    this.#line('}');
    this.#line('}');
    this.#line('function run(values0, from, to, sequence0, sub0, base) {');
    this.#line('let index = from;');
    this.#line('for (;;) {');
    this.#line('const until = Math.min(to, index + sampler.countdown - 1);');
    this.#line(`const reached = ${CHOSEN}(values0, index, until, sequence0, sub0, base);`);
    this.#line('sampler.countdown -= reached - index;');
    this.#line('index = reached;');
    // The output may be full at the very element before the sampled one.
    const over = `index >= to || sink.count >= sink.limit${this.#chain.mayStop() ? ' || stopped >= 0' : ''}`;
    this.#line(`if (index < until || ${over}) return index;`);
    this.#line('sampler.next();');
    this.#line('sample(values0, index, sequence0, sub0, base);');
    this.#line('index++;');
    this.#line('}');
    this.#line('}');
  }

  #input(): void {
    this.#listing.within('input', () => this.#read());
  }

  #read(): void {
    const { series, identity } = this.#chain.options;
    this.#line(
      `const value = ${series === undefined ? 'values0[index]' : `${series.start} + index * ${series.step}`};`,
    );
    if (!identity) return;
    this.#line('const sequence = sequence0 === undefined ? base + index : sequence0[index];');
    this.#line('const sub = sub0 === undefined ? 0 : sub0[index];');
  }

  /** What one operator hands on goes through the rest of the chain. */
  #handFunction(at: number, timed: boolean): void {
    const parameters = `handed${at}, sequence, sub${timed ? ', time' : ''}`;
    this.#line(`function after${at}${timed ? 'Timed' : ''}(${parameters}) {`);
    if (this.#chain.options.identity) this.#line(`held${at} = sequence;`);
    this.#passage.from(at + 1, `handed${at}`, 'sequence', 'sub', { ...OUTSIDE, timed });
    this.#line('}');
  }

  /** A function with a body for each operator `at` that has one. */
  #perOperator(
    task: Task,
    signature: string,
    bodyOf: (operator: FusedOperator, at: number) => (() => void) | undefined,
  ): void {
    this.#line(`function ${signature} {`);
    this.#chain.operators.forEach((operator, at) => {
      const body = bodyOf(operator, at);
      if (body === undefined) return;
      this.#line(`if (at === ${at}) {`);
      this.#listing.within(task, body);
      this.#line('}');
    });
    this.#line('}');
  }

  /** Only operators that can change the number of elements count them; the others pass on their neighbour's count. */
  #fold(): void {
    this.#line('function fold(count, elementsIn, elementsOut) {');
    this.#chain.operators.forEach((operator, at) => {
      this.#line(`elementsIn[${at}] += count;`);
      if (operator.discards) this.#line(`count -= discarded${at}; discarded${at} = 0;`);
      if (changesCount(operator)) {
        this.#line(`count = out${at};`);
        this.#line(`out${at} = 0;`);
      }
      this.#line(`elementsOut[${at}] += count;`);
    });
    this.#line('}');
  }
}

/** The loop for the next elements: the one that settles draws where there were any. */
const CHOSEN = '(ambient.settling ? settling : slice)';
