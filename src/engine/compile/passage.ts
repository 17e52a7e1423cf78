import type { ElementCode, OperatorCode } from '../operators/kind.ts';
import { changesCount, type FusedChain } from './fused-chain.ts';
import type { Listing } from './listing.ts';

/** Where an operator's code for an element stands. */
interface CodePosition {
  readonly drop: string;
  readonly timed: boolean;
  /** In the loop itself, which has its own copies of what operators keep. */
  readonly loop: boolean;
  /**
   * Many elements may leave from here in a row, so each looks whether the output is full. Elsewhere the loop is left
   * instead: what empties the output is large, and V8 would compile it into the loop.
   */
  readonly many: boolean;
  /** Random numbers drawn from the runtime are put down to the operator that drew them. The loop does so once one was. */
  readonly settles: boolean;
}

/** In a function of its own, outside the loop. */
export const OUTSIDE: CodePosition = { drop: 'return', timed: false, loop: false, many: false, settles: true };

/** Writes the way of an element through a chain, from operator to operator and out. */
export class Passage {
  readonly #chain: FusedChain;
  readonly #listing: Listing;

  constructor(chain: FusedChain, listing: Listing) {
    this.#chain = chain;
    this.#listing = listing;
  }

  /** Code for an element that enters operator `at`, or the way out behind the last one. */
  from(at: number, value: string, sequence: string, sub: string, position: CodePosition): void {
    if (at < this.#chain.operators.length) {
      if (this.#chain.at(at).discards)
        this.#listing.add(`if (discard${at} > 0) { discard${at}--; discarded${at}++; ${position.drop}; }`);
      const code = this.elementCode(at, value, sequence, sub, position);
      this.#listing.within('element', () => this.#chain.at(at).kind.element(code));
      return;
    }
    this.#listing.within('output', () => this.#out(value, sequence, sub, position.many));
  }

  #out(value: string, sequence: string, sub: string, many: boolean): void {
    const line = (text: string): void => this.#listing.add(text);
    if (this.#chain.options.identity) {
      line(`outSequence[sink.count] = ${sequence};`);
      line(`outSub[sink.count] = ${sub};`);
    }
    line(`if (sink.count < values.length) values[sink.count] = ${value};`);
    line(`else values.push(${value});`);
    line('sink.count++;');
    if (many) line(IF_FULL);
  }

  #full(): void {
    this.#listing.within('output', () => this.#listing.add(IF_FULL));
  }

  /** For what an operator does besides: its variables, a new pass, what it keeps. */
  operatorCode(at: number): OperatorCode {
    return {
      at,
      settings: this.#chain.at(at).settings,
      flat: this.#chain.isFlat(at),
      identity: this.#chain.options.identity,
      line: text => this.#listing.add(text, at),
    };
  }

  elementCode(at: number, value: string, sequence: string, sub: string, position: CodePosition): ElementCode {
    const operator = this.#chain.at(at);
    const { drop, timed, loop, settles } = position;
    const own = (name: string): string => `${name}${at}${loop ? '_' : ''}`;
    const line = (text: string): void => this.#listing.add(text, at);
    const timing = (text: string): void => this.#listing.within('timing', () => line(text));
    const count = (): void => {
      if (changesCount(operator)) line(`${own('out')}++;`);
    };
    const drew = (): void => {
      if (settles) line(`if (ambient.count !== ambient.settled) settle(${at});`);
    };
    /** V8 makes nothing of a catch until something is thrown. */
    const blamed = (statement: string): void => {
      line('} catch (error) {');
      line(statement);
      line('throw error;');
      line('}');
    };
    return {
      ...this.operatorCode(at),
      value,
      sequence,
      sub,
      mayStop: this.#chain.mayStop(at),
      drop,
      loop,
      own,
      call: result => {
        const context = operator.wantsContext ? `, context${at}.of(${sequence}, ${sub})` : '';
        line(`let ${result};`);
        line('try {');
        this.#listing.within('call', () => line(`${result} = call${at}(${value}${context});`));
        blamed(`blame.caller = ${at};`);
        drew();
        line(`if (typeof ${result} === 'object' && ${result} instanceof Promise) promised(${result}, ${at});`);
        if (operator.skips) line(`if (${result} === skipped) ${drop};`);
      },
      iterate: (item, items) => {
        line('try {');
        line(`for (const ${item} of ${items}) {`);
      },
      iterated: () => {
        line('}');
        blamed(`blame.iterator ??= ${at};`);
      },
      drew,
      worked: () => {
        if (timed) timing(`time = sampler.tick(${at}, time);`);
      },
      workedOn: () => {
        drew();
        if (timed) timing(`time = sampler.tickAgain(${at}, time);`);
      },
      next: (nextValue, nextSequence = sequence, nextSub = sub, innerDrop) => {
        count();
        if (timed) timing(`if (sampler.sizing) time = sampler.sized(${at}, ${nextValue});`);
        this.from(at + 1, nextValue, nextSequence, nextSub, {
          ...position,
          ...(innerDrop !== undefined && { drop: innerDrop, many: true }),
        });
      },
      row: () => {
        count();
        line('sink.count++;');
        if (position.many) this.#full();
      },
      hand: (nextValue, nextSequence = sequence, nextSub = sub, many = position.many) => {
        count();
        if (timed) timing(`if (sampler.sizing) time = sampler.sized(${at}, ${nextValue});`);
        const identity = this.#chain.options.identity ? `${nextSequence}, ${nextSub}` : '0, 0';
        line(`after${at}${timed ? 'Timed' : ''}(${nextValue}, ${identity}${timed ? ', time' : ''});`);
        // What comes behind it is timed by itself.
        if (timed) timing('time = sampler.now();');
        if (many) this.#full();
      },
    };
  }
}

const IF_FULL = 'if (sink.count >= sink.limit) sink.full();';
