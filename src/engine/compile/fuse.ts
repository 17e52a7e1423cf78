import type { ElementCode, OperatorCode, OperatorKind } from '../operators/kind.ts';
import { Listing } from './listing.ts';

export interface FusedOperator {
  readonly kind: OperatorKind;
  readonly settings: Readonly<Record<string, unknown>>;
  /** The function takes a context as its second argument. */
  readonly wantsContext: boolean;
}

export interface FuseOptions {
  /** The segment's input is an arithmetic series instead of an array. */
  readonly series: boolean;
  /** Some operator here or downstream asks which element it has. */
  readonly identity: boolean;
  /** Generate a second, timed copy of the loop's body for sampled elements. */
  readonly timed: boolean;
  /** Makes the source text unique: V8 shares type feedback between functions compiled from the same text. */
  readonly nonce: string;
}

export interface FusedSource {
  readonly text: string;
  readonly owners: readonly (number | undefined)[];
}

/** Parameters of the generated function, in order. */
export const FUSED_PARAMETERS = ['calls', 'contexts', 'sink', 'sampler', 'draws', 'mixPath'] as const;

/**
 * Generates one loop for a chain of operators. The function returns
 * `{ run, flush, reset, fold, stopped, resume }`:
 * run(values, from, to, sequence, sub, base) pushes elements through; flush(at) and reset(at) serve one operator at
 * the end of a pass; fold(count, elementsIn, elementsOut) adds what was counted since the last fold.
 */
export function fuse(operators: readonly FusedOperator[], options: FuseOptions): FusedSource {
  return new Fuser(operators, options).source();
}

class Fuser {
  readonly #listing = new Listing();
  readonly #operators: readonly FusedOperator[];
  readonly #options: FuseOptions;
  /** Operators that hand elements on through a function, because they do so from more than one place. */
  readonly #handing: readonly number[];

  constructor(operators: readonly FusedOperator[], options: FuseOptions) {
    this.#operators = operators;
    this.#options = options;
    this.#handing = operators.flatMap(({ kind }, at) => (kind.flush === undefined ? [] : [at]));
  }

  source(): FusedSource {
    const { nonce, timed, identity } = this.#options;
    const line = (text: string): void => this.#listing.add(text);
    line(`// ${nonce}`);
    line(`'use strict';`);
    this.#operators.forEach((_, at) => {
      line(`const call${at} = calls[${at}], context${at} = contexts[${at}], draw${at} = draws[${at}];`);
    });
    line('const values = sink.values;');
    if (identity) line('const outSequence = sink.sequence, outSub = sink.sub;');
    line('let stopped = -1;');
    this.#operators.forEach((_, at) => {
      line(`let out${at} = 0;`);
    });
    this.#operators.forEach(({ kind }, at) => {
      kind.state?.(this.#operatorCode(at));
    });
    for (const at of this.#handing) {
      this.#handFunction(at, false);
      if (timed) this.#handFunction(at, true);
    }
    this.#run();
    this.#perOperator('flush', at => {
      const { kind } = this.#at(at);
      kind.flush?.(this.#elementCode(at, 'undefined', '0', '0', 'return', false));
    });
    this.#perOperator('reset', at => {
      const { kind } = this.#at(at);
      kind.reset?.(this.#operatorCode(at));
    });
    this.#fold();
    line('return { run, flush, reset, fold, stopped: () => stopped, resume: () => { stopped = -1; } };');
    return { text: this.#listing.text, owners: this.#listing.owners() };
  }

  #run(): void {
    const { series, identity, timed } = this.#options;
    const line = (text: string): void => this.#listing.add(text);
    // A series counts from `from` in steps of `values`; an array is read in place.
    line('function run(values0, from, to, sequence0, sub0, base) {');
    line('let index = from;');
    line('try {');
    line('for (; index < to; index++) {');
    if (this.#operators.some(({ kind }) => kind.kind === 'take')) line('if (stopped >= 0) break;');
    line(series ? 'const value = values0.start + index * values0.step;' : 'const value = values0[index];');
    if (identity) {
      line('const sequence = sequence0 === undefined ? base + index : sequence0[index];');
      line('const sub = sub0 === undefined ? 0 : sub0[index];');
    }
    if (timed) {
      line('if (--sampler.countdown <= 0) {');
      line('sampler.next();');
      line('let time = sampler.now();');
      this.#from(0, 'value', 'sequence', 'sub', 'continue', true);
      line('continue;');
      line('}');
    }
    this.#from(0, 'value', 'sequence', 'sub', 'continue', false);
    line('}');
    line('} catch (error) {');
    line('sink.failed = identity0(sequence0, base, index);');
    line('throw error;');
    line('}');
    line('return index;');
    line('}');
    line('function identity0(sequence0, base, index) {');
    line('return sequence0 === undefined ? base + index : sequence0[index];');
    line('}');
  }

  /** What one operator hands on goes through the rest of the chain. */
  #handFunction(at: number, timed: boolean): void {
    const line = (text: string): void => this.#listing.add(text);
    const parameters = `handed${at}, sequence, sub${timed ? ', time' : ''}`;
    line(`function after${at}${timed ? 'Timed' : ''}(${parameters}) {`);
    this.#from(at + 1, `handed${at}`, 'sequence', 'sub', 'return', timed);
    line('}');
  }

  /** Code for an element that enters operator `at`, or the way out behind the last one. */
  #from(at: number, value: string, sequence: string, sub: string, drop: string, timed: boolean): void {
    if (at < this.#operators.length) {
      this.#at(at).kind.element(this.#elementCode(at, value, sequence, sub, drop, timed));
      return;
    }
    const line = (text: string): void => this.#listing.add(text);
    if (this.#options.identity) line(`outSequence[sink.count] = ${sequence}; outSub[sink.count] = ${sub};`);
    line(`if (sink.count < values.length) values[sink.count] = ${value}; else values.push(${value});`);
    line('if (++sink.count >= sink.limit) sink.full();');
  }

  #perOperator(name: 'flush' | 'reset', body: (at: number) => void): void {
    this.#listing.add(`function ${name}(at) {`);
    this.#operators.forEach(({ kind }, at) => {
      if (kind[name] === undefined) return;
      this.#listing.add(`if (at === ${at}) {`);
      body(at);
      this.#listing.add('}');
    });
    this.#listing.add('}');
  }

  /** Only operators that can change the number of elements count them; the others pass on their neighbour's count. */
  #fold(): void {
    const line = (text: string): void => this.#listing.add(text);
    line('function fold(count, elementsIn, elementsOut) {');
    this.#operators.forEach((operator, at) => {
      line(`elementsIn[${at}] += count;`);
      if (changesCount(operator)) line(`count = out${at}; out${at} = 0;`);
      line(`elementsOut[${at}] += count;`);
    });
    line('}');
  }

  #operatorCode(at: number): OperatorCode {
    return {
      at,
      settings: this.#at(at).settings,
      identity: this.#options.identity,
      line: text => this.#listing.add(text, at),
    };
  }

  #elementCode(at: number, value: string, sequence: string, sub: string, drop: string, timed: boolean): ElementCode {
    const operator = this.#at(at);
    const line = (text: string): void => this.#listing.add(text, at);
    const count = (): void => {
      if (changesCount(operator)) line(`out${at}++;`);
    };
    return {
      ...this.#operatorCode(at),
      value,
      sequence,
      sub,
      drop,
      call: argument =>
        operator.wantsContext
          ? `call${at}(${argument}, context${at}.of(${sequence}, ${sub}))`
          : `call${at}(${argument})`,
      worked: () => {
        if (timed) line(`time = sampler.tick(${at}, time);`);
      },
      workedOn: () => {
        if (timed) line(`time = sampler.tickAgain(${at}, time);`);
      },
      next: (nextValue, nextSequence = sequence, nextSub = sub, nextDrop = drop) => {
        count();
        if (timed) line(`if (sampler.sizing) time = sampler.sized(${at}, ${nextValue});`);
        this.#from(at + 1, nextValue, nextSequence, nextSub, nextDrop, timed);
      },
      hand: (nextValue, nextSequence = sequence, nextSub = sub) => {
        count();
        if (timed) line(`if (sampler.sizing) time = sampler.sized(${at}, ${nextValue});`);
        const identity = this.#options.identity ? `${nextSequence}, ${nextSub}` : '0, 0';
        line(`after${at}${timed ? 'Timed' : ''}(${nextValue}, ${identity}${timed ? ', time' : ''});`);
      },
    };
  }

  #at(at: number): FusedOperator {
    const operator = this.#operators[at];
    if (operator === undefined) throw new Error(`no operator at ${at}`);
    return operator;
  }
}

const SAME_COUNT = new Set(['source', 'map', 'repeat', 'prefetch']);
const changesCount = ({ kind }: FusedOperator): boolean => !SAME_COUNT.has(kind.kind);
