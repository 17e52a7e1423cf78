import { changesCount, FusedChain, type FusedOperator, type FuseOptions } from './fused-chain.ts';
import { Listing } from './listing.ts';
import { Passage } from './passage.ts';

export interface FusedSource {
  readonly text: string;
  readonly owners: readonly (number | undefined)[];
}

/** Parameters of the generated function, in order. */
export const FUSED_PARAMETERS = [
  'calls',
  'contexts',
  'sink',
  'sampler',
  'draws',
  'mixPath',
  'promised',
  'skipped',
  'ambient',
  'settle',
  'blame',
] as const;

/**
 * Generates one loop for a chain of operators. The function returns
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

  constructor(chain: FusedChain) {
    this.#chain = chain;
    this.#passage = new Passage(chain, this.#listing);
  }

  source(): FusedSource {
    const { nonce, timed, identity } = this.#chain.options;
    const line = (text: string): void => this.#listing.add(text);
    line(`// ${nonce}`);
    line(`'use strict';`);
    this.#chain.operators.forEach((_, at) => {
      line(`const call${at} = calls[${at}];`);
      line(`const context${at} = contexts[${at}];`);
      line(`const draw${at} = draws[${at}];`);
    });
    line('const values = sink.values;');
    if (identity) {
      line('const outSequence = sink.sequence;');
      line('const outSub = sink.sub;');
    }
    line('let stopped = -1;');
    this.#chain.operators.forEach(({ discards }, at) => {
      line(`let out${at} = 0;`);
      if (discards) line(`let discard${at} = 0, discarded${at} = 0;`);
    });
    this.#chain.operators.forEach(({ kind }, at) => {
      kind.state?.(this.#passage.operatorCode(at));
    });
    if (identity) for (const at of this.#chain.handing) line(`let held${at};`);
    for (const at of this.#chain.handing) {
      this.#handFunction(at, false);
      if (timed) this.#handFunction(at, true);
    }
    this.#run();
    this.#perOperator('flush', at => {
      const { kind } = this.#chain.at(at);
      kind.flush?.(
        this.#passage.elementCode(at, 'undefined', '0', '0', {
          drop: 'return',
          timed: false,
          loop: false,
          many: true,
          settles: true,
        }),
      );
    });
    this.#perOperator('reset', at => {
      const { kind } = this.#chain.at(at);
      kind.reset?.(this.#passage.operatorCode(at));
    });
    this.#fold();
    this.#held();
    this.#keeping();
    line(
      'return { run, flush, reset, held, fold, save, load, discard, stopped: () => stopped, resume: () => (stopped = -1) };',
    );
    return { text: this.#listing.text, owners: this.#listing.owners() };
  }

  #run(): void {
    this.#stretch('stretch', false);
    this.#stretch('settling', true);
    if (this.#chain.options.timed) {
      this.#runTimed();
      return;
    }
    this.#listing.add('function run(values0, from, to, sequence0, sub0, base) {');
    this.#listing.add(`return ${CHOSEN}(values0, from, to, sequence0, sub0, base);`);
    this.#listing.add('}');
  }

  /** The loop. What it counts and keeps is in variables of its own while it runs. */
  #stretch(name: string, settles: boolean): void {
    const line = (text: string): void => this.#listing.add(text);
    const owned = this.#chain.owned();
    line(`function ${name}(values0, from, to, sequence0, sub0, base) {`);
    // A sampled element may have filled it; the loop relies on room for a row.
    line('if (sink.count >= sink.limit) return from;');
    for (const { name: variable, counts } of owned) line(`let ${variable}_ = ${counts ? 0 : variable};`);
    // Rows that lie flat are written by the loop itself, unless an operator before them hands on by a function.
    const flat = this.#chain.options.flat && this.#chain.handing.length === 0;
    if (flat) line('let flat_ = sink.flat;');
    if (flat) line('let ints_ = sink.ints;');
    if (flat) line(`let edge_ = (sink.count + 1) * ${this.#chain.at(this.#chain.operators.length - 1).settings.size};`);
    // Arithmetic before the loop tells V8 that these are integers, else every turn checks and converts them again.
    line('const first = from - 0;');
    line('const count = to - first;');
    line('let turn = 0;');
    line('try {');
    line('for (; turn < count; turn++) {');
    if (this.#chain.mayStop()) line('if (stopped >= 0) break;');
    line('const index = first + turn;');
    this.#input();
    this.#passage.from(0, 'value', 'sequence', 'sub', {
      drop: 'continue',
      timed: false,
      loop: true,
      many: false,
      settles,
    });
    line('if (sink.count < sink.limit) continue;');
    line('turn++;');
    line('break;');
    line('}');
    line('} catch (error) {');
    line('const index = first + turn;');
    line('sink.failed = sequence0 === undefined ? base + index : sequence0[index];');
    line('throw error;');
    if (owned.length > 0 || flat) line('} finally {');
    for (const { name: variable, counts } of owned) line(`${variable} ${counts ? '+=' : '='} ${variable}_;`);
    if (flat) line('sink.flat = flat_;');
    line('}');
    line('return first + turn;');
    line('}');
  }

  /** One element in so many passes a timed copy of the loop's body, in a function of its own: the loop stays small. */
  #runTimed(): void {
    const line = (text: string): void => this.#listing.add(text);
    line('function sample(values0, index, sequence0, sub0, base) {');
    line('try {');
    this.#input();
    line('let time = sampler.now();');
    this.#passage.from(0, 'value', 'sequence', 'sub', {
      drop: 'return',
      timed: true,
      loop: false,
      many: false,
      settles: true,
    });
    line('} catch (error) {');
    line('sink.failed = sequence0 === undefined ? base + index : sequence0[index];');
    line('throw error;');
    line('}');
    line('}');
    line('function run(values0, from, to, sequence0, sub0, base) {');
    line('let index = from;');
    line('for (;;) {');
    line('const until = Math.min(to, index + sampler.countdown - 1);');
    line(`const reached = ${CHOSEN}(values0, index, until, sequence0, sub0, base);`);
    line('sampler.countdown -= reached - index;');
    line('index = reached;');
    // The output may be full at the very element before the sampled one.
    const over = `index >= to || sink.count >= sink.limit${this.#chain.mayStop() ? ' || stopped >= 0' : ''}`;
    line(`if (index < until || ${over}) return index;`);
    line('sampler.next();');
    line('sample(values0, index, sequence0, sub0, base);');
    line('index++;');
    line('}');
    line('}');
  }

  #input(): void {
    const { series, identity } = this.#chain.options;
    const line = (text: string): void => this.#listing.add(text);
    line(`const value = ${series === undefined ? 'values0[index]' : `${series.start} + index * ${series.step}`};`);
    if (!identity) return;
    line('const sequence = sequence0 === undefined ? base + index : sequence0[index];');
    line('const sub = sub0 === undefined ? 0 : sub0[index];');
  }

  /** What one operator hands on goes through the rest of the chain. */
  #handFunction(at: number, timed: boolean): void {
    const line = (text: string): void => this.#listing.add(text);
    const parameters = `handed${at}, sequence, sub${timed ? ', time' : ''}`;
    line(`function after${at}${timed ? 'Timed' : ''}(${parameters}) {`);
    if (this.#chain.options.identity) line(`held${at} = sequence;`);
    const place = { drop: 'return', timed, loop: false, many: false, settles: true };
    this.#passage.from(at + 1, `handed${at}`, 'sequence', 'sub', place);
    line('}');
  }

  #perOperator(name: 'flush' | 'reset', body: (at: number) => void): void {
    this.#listing.add(`function ${name}(at) {`);
    this.#chain.operators.forEach(({ kind }, at) => {
      if (kind[name] === undefined) return;
      this.#listing.add(`if (at === ${at}) {`);
      body(at);
      this.#listing.add('}');
    });
    this.#listing.add('}');
  }

  #held(): void {
    const line = (text: string): void => this.#listing.add(text);
    line('function held(at) {');
    if (this.#chain.options.identity) for (const at of this.#chain.handing) line(`if (at === ${at}) return held${at};`);
    line('}');
  }

  #keeping(): void {
    const line = (text: string): void => this.#listing.add(text);
    line('function save(at) {');
    this.#chain.operators.forEach(({ kind }, at) => {
      if (kind.save !== undefined) line(`if (at === ${at}) return ${kind.save(this.#passage.operatorCode(at))};`);
    });
    line('}');
    line('function load(at, saved) {');
    this.#chain.operators.forEach(({ kind }, at) => {
      if (kind.load === undefined) return;
      line(`if (at === ${at}) {`);
      kind.load(this.#passage.operatorCode(at));
      line('}');
    });
    line('}');
    line('function discard(at, count) {');
    this.#chain.operators.forEach(({ discards }, at) => {
      if (discards) line(`if (at === ${at}) discard${at} = count;`);
    });
    line('}');
  }

  /** Only operators that can change the number of elements count them; the others pass on their neighbour's count. */
  #fold(): void {
    const line = (text: string): void => this.#listing.add(text);
    line('function fold(count, elementsIn, elementsOut) {');
    this.#chain.operators.forEach((operator, at) => {
      line(`elementsIn[${at}] += count;`);
      if (operator.discards) line(`count -= discarded${at}; discarded${at} = 0;`);
      if (changesCount(operator)) {
        line(`count = out${at};`);
        line(`out${at} = 0;`);
      }
      line(`elementsOut[${at}] += count;`);
    });
    line('}');
  }
}

/** The loop for the next elements: the one that settles draws where there were any. */
const CHOSEN = '(ambient.settling ? settling : stretch)';
