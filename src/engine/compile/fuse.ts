import type { ElementCode, OperatorCode, OperatorKind } from '../operators/kind.ts';
import { Listing } from './listing.ts';

export interface FusedOperator {
  readonly kind: OperatorKind;
  readonly settings: Readonly<Record<string, unknown>>;
  /** The function takes a context as its second argument. */
  readonly wantsContext: boolean;
  /** The function may give an element up: its result is then `skipped`. */
  readonly skips: boolean;
  /** In a run that was resumed: elements it has had before the run was saved may come again, and are dropped before it. */
  readonly discards: boolean;
}

export interface FuseOptions {
  /** The segment's input is this arithmetic series instead of an array. */
  readonly series: { readonly start: number; readonly step: number } | undefined;
  /** The last operator, a batch, leaves its items flat. */
  readonly flat: boolean;
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
] as const;

/**
 * Generates one loop for a chain of operators. The function returns
 * `{ run, flush, reset, held, fold, save, load, discard, stopped, resume }`:
 * run(values, from, to, sequence, sub, base) pushes elements through, until the output is full, and says how far it came; flush(at) and reset(at) serve one operator at
 * the end of a pass; fold(count, elementsIn, elementsOut) adds what was counted since the last fold; save(at) and load(at, saved) are for
 * what one operator keeps; discard(at, count) drops the next `count` elements before it.
 */
export function fuse(operators: readonly FusedOperator[], options: FuseOptions): FusedSource {
  return new Fuser(operators, options).source();
}

/** Where an operator's code for an element stands. */
interface Place {
  /** The statement that gives up the element. */
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

class Fuser {
  readonly #listing = new Listing();
  readonly #operators: readonly FusedOperator[];
  readonly #options: FuseOptions;
  /** Operators that hand elements on through a function, because they do so from more than one place. */
  readonly #handing: readonly number[];

  constructor(operators: readonly FusedOperator[], options: FuseOptions) {
    this.#operators = operators;
    this.#options = options;
    this.#handing = operators.flatMap(({ kind }, at) => (kind.flush === undefined || this.#isFlat(at) ? [] : [at]));
  }

  source(): FusedSource {
    const { nonce, timed, identity } = this.#options;
    const line = (text: string): void => this.#listing.add(text);
    line(`// ${nonce}`);
    line(`'use strict';`);
    this.#operators.forEach((_, at) => {
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
    this.#operators.forEach(({ discards }, at) => {
      line(`let out${at} = 0;`);
      if (discards) line(`let discard${at} = 0, discarded${at} = 0;`);
    });
    this.#operators.forEach(({ kind }, at) => {
      kind.state?.(this.#operatorCode(at));
    });
    if (identity) for (const at of this.#handing) line(`let held${at};`);
    for (const at of this.#handing) {
      this.#handFunction(at, false);
      if (timed) this.#handFunction(at, true);
    }
    this.#run();
    this.#perOperator('flush', at => {
      const { kind } = this.#at(at);
      kind.flush?.(
        this.#elementCode(at, 'undefined', '0', '0', {
          drop: 'return',
          timed: false,
          loop: false,
          many: true,
          settles: true,
        }),
      );
    });
    this.#perOperator('reset', at => {
      const { kind } = this.#at(at);
      kind.reset?.(this.#operatorCode(at));
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
    if (this.#options.timed) {
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
    const owned = this.#owned();
    line(`function ${name}(values0, from, to, sequence0, sub0, base) {`);
    // A sampled element may have filled it; the loop relies on room for a row.
    line('if (sink.count >= sink.limit) return from;');
    for (const { name: variable, counts } of owned) line(`let ${variable}_ = ${counts ? 0 : variable};`);
    // Rows that lie flat are written by the loop itself, unless an operator before them hands on by a function.
    const flat = this.#options.flat && this.#handing.length === 0;
    if (flat) line('let flat_ = sink.flat;');
    if (flat) line('let ints_ = sink.ints;');
    if (flat) line(`let edge_ = (sink.count + 1) * ${this.#at(this.#operators.length - 1).settings.size};`);
    // Arithmetic before the loop tells V8 that these are integers, else every turn checks and converts them again.
    line('const first = from - 0;');
    line('const count = to - first;');
    line('let turn = 0;');
    line('try {');
    line('for (; turn < count; turn++) {');
    if (this.#mayStop()) line('if (stopped >= 0) break;');
    line('const index = first + turn;');
    this.#input();
    this.#from(0, 'value', 'sequence', 'sub', { drop: 'continue', timed: false, loop: true, many: false, settles });
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
    this.#from(0, 'value', 'sequence', 'sub', {
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
    const over = `index >= to || sink.count >= sink.limit${this.#mayStop() ? ' || stopped >= 0' : ''}`;
    line(`if (index < until || ${over}) return index;`);
    line('sampler.next();');
    line('sample(values0, index, sequence0, sub0, base);');
    line('index++;');
    line('}');
    line('}');
  }

  #input(): void {
    const { series, identity } = this.#options;
    const line = (text: string): void => this.#listing.add(text);
    line(`const value = ${series === undefined ? 'values0[index]' : `${series.start} + index * ${series.step}`};`);
    if (!identity) return;
    line('const sequence = sequence0 === undefined ? base + index : sequence0[index];');
    line('const sub = sub0 === undefined ? 0 : sub0[index];');
  }

  #isFlat(at: number): boolean {
    return this.#options.flat && at === this.#operators.length - 1;
  }

  #mayStop(): boolean {
    return this.#operators.some(({ kind }) => kind.kind === 'take');
  }

  /** Variables of the operators whose code is in the loop itself: those up to the first that hands on by a function. */
  #owned(): readonly { readonly name: string; readonly counts: boolean }[] {
    const last = this.#handing[0] ?? this.#operators.length;
    return this.#operators
      .slice(0, last + 1)
      .flatMap((operator, at) => [
        ...(changesCount(operator) ? [{ name: `out${at}`, counts: true }] : []),
        ...(operator.kind.owned?.(this.#isFlat(at)) ?? []).map(name => ({ name: `${name}${at}`, counts: false })),
      ]);
  }

  /** What one operator hands on goes through the rest of the chain. */
  #handFunction(at: number, timed: boolean): void {
    const line = (text: string): void => this.#listing.add(text);
    const parameters = `handed${at}, sequence, sub${timed ? ', time' : ''}`;
    line(`function after${at}${timed ? 'Timed' : ''}(${parameters}) {`);
    if (this.#options.identity) line(`held${at} = sequence;`);
    const place = { drop: 'return', timed, loop: false, many: false, settles: true };
    this.#from(at + 1, `handed${at}`, 'sequence', 'sub', place);
    line('}');
  }

  /** Code for an element that enters operator `at`, or the way out behind the last one. */
  #from(at: number, value: string, sequence: string, sub: string, place: Place): void {
    if (at < this.#operators.length) {
      if (this.#at(at).discards)
        this.#listing.add(`if (discard${at} > 0) { discard${at}--; discarded${at}++; ${place.drop}; }`);
      this.#at(at).kind.element(this.#elementCode(at, value, sequence, sub, place));
      return;
    }
    const line = (text: string): void => this.#listing.add(text);
    if (this.#options.identity) {
      line(`outSequence[sink.count] = ${sequence};`);
      line(`outSub[sink.count] = ${sub};`);
    }
    line(`if (sink.count < values.length) values[sink.count] = ${value};`);
    line(`else values.push(${value});`);
    line('sink.count++;');
    if (place.many) line(IF_FULL);
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

  #held(): void {
    const line = (text: string): void => this.#listing.add(text);
    line('function held(at) {');
    if (this.#options.identity) for (const at of this.#handing) line(`if (at === ${at}) return held${at};`);
    line('}');
  }

  #keeping(): void {
    const line = (text: string): void => this.#listing.add(text);
    line('function save(at) {');
    this.#operators.forEach(({ kind }, at) => {
      if (kind.save !== undefined) line(`if (at === ${at}) return ${kind.save(this.#operatorCode(at))};`);
    });
    line('}');
    line('function load(at, saved) {');
    this.#operators.forEach(({ kind }, at) => {
      if (kind.load === undefined) return;
      line(`if (at === ${at}) {`);
      kind.load(this.#operatorCode(at));
      line('}');
    });
    line('}');
    line('function discard(at, count) {');
    this.#operators.forEach(({ discards }, at) => {
      if (discards) line(`if (at === ${at}) discard${at} = count;`);
    });
    line('}');
  }

  /** Only operators that can change the number of elements count them; the others pass on their neighbour's count. */
  #fold(): void {
    const line = (text: string): void => this.#listing.add(text);
    line('function fold(count, elementsIn, elementsOut) {');
    this.#operators.forEach((operator, at) => {
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

  #operatorCode(at: number): OperatorCode {
    return {
      at,
      settings: this.#at(at).settings,
      flat: this.#isFlat(at),
      identity: this.#options.identity,
      line: text => this.#listing.add(text, at),
    };
  }

  #elementCode(at: number, value: string, sequence: string, sub: string, place: Place): ElementCode {
    const operator = this.#at(at);
    const { drop, timed, loop, settles } = place;
    const own = (name: string): string => `${name}${at}${loop ? '_' : ''}`;
    const line = (text: string): void => this.#listing.add(text, at);
    const count = (): void => {
      if (changesCount(operator)) line(`${own('out')}++;`);
    };
    const drew = (): void => {
      if (settles) line(`if (ambient.count !== ambient.settled) settle(${at});`);
    };
    return {
      ...this.#operatorCode(at),
      value,
      sequence,
      sub,
      mayStop: this.#operators.some(({ kind }, other) => other > at && kind.kind === 'take'),
      drop,
      loop,
      own,
      call: argument =>
        operator.wantsContext
          ? `call${at}(${argument}, context${at}.of(${sequence}, ${sub}))`
          : `call${at}(${argument})`,
      drew,
      called: result => {
        drew();
        line(`if (typeof ${result} === 'object' && ${result} instanceof Promise) promised(${result}, ${at});`);
        if (operator.skips) line(`if (${result} === skipped) ${drop};`);
      },
      worked: () => {
        if (timed) line(`time = sampler.tick(${at}, time);`);
      },
      workedOn: () => {
        drew();
        if (timed) line(`time = sampler.tickAgain(${at}, time);`);
      },
      next: (nextValue, nextSequence = sequence, nextSub = sub, innerDrop) => {
        count();
        if (timed) line(`if (sampler.sizing) time = sampler.sized(${at}, ${nextValue});`);
        this.#from(at + 1, nextValue, nextSequence, nextSub, {
          ...place,
          ...(innerDrop !== undefined && { drop: innerDrop, many: true }),
        });
      },
      row: () => {
        count();
        line('sink.count++;');
        if (place.many) this.#listing.add(IF_FULL);
      },
      hand: (nextValue, nextSequence = sequence, nextSub = sub, many = place.many) => {
        count();
        if (timed) line(`if (sampler.sizing) time = sampler.sized(${at}, ${nextValue});`);
        const identity = this.#options.identity ? `${nextSequence}, ${nextSub}` : '0, 0';
        line(`after${at}${timed ? 'Timed' : ''}(${nextValue}, ${identity}${timed ? ', time' : ''});`);
        if (many) this.#listing.add(IF_FULL);
      },
    };
  }

  #at(at: number): FusedOperator {
    const operator = this.#operators[at];
    if (operator === undefined) throw new Error(`no operator at ${at}`);
    return operator;
  }
}

/** The loop for the next elements: the one that settles draws where there were any. */
const CHOSEN = '(ambient.settling ? settling : stretch)';

const IF_FULL = 'if (sink.count >= sink.limit) sink.full();';

const changesCount = ({ kind, skips }: FusedOperator): boolean => skips || kind.sameCount !== true;
