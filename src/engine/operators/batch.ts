import { type ElementCode, type OperatorKind, setting } from './kind.ts';

/** The array is overwritten from its start, and `fill` says how far it holds this batch: see `after`. */
export const batch: OperatorKind = {
  kind: 'batch',
  sequential: true,
  elements: 'fewer',
  work: 'moving',
  owned: flat => (flat ? [] : ['batch', 'fill']),
  state({ at, identity, flat, line }) {
    if (flat) return;
    line(`let batch${at} = [];`);
    line(`let fill${at} = 0;`);
    if (!identity) return;
    line(`let first${at} = 0;`);
    line(`let firstSub${at} = 0;`);
  },
  element(code) {
    const { at, identity, line } = code;
    if (code.flat) {
      flatElement(code);
      return;
    }
    const [held, fill] = [code.own('batch'), code.own('fill')];
    if (identity) {
      line(`if (${fill} === 0) first${at} = ${code.sequence};`);
      line(`if (${fill} === 0) firstSub${at} = ${code.sub};`);
    }
    line(`if (${fill} < ${held}.length) ${held}[${fill}] = ${code.value};`);
    line(`else ${held}.push(${code.value});`);
    code.worked();
    line(`if (++${fill} < ${setting(code, 'size')}) ${code.drop};`);
    line(`const whole${at} = ${held};`);
    line(`${held} = ${after(`whole${at}`)};`);
    line(`${fill} = 0;`);
    code.hand(`whole${at}`, `first${at}`, `firstSub${at}`);
  },
  flush(code) {
    const { at } = code;
    if (code.flat) {
      flatFlush(code);
      return;
    }
    if (code.settings.dropRemainder === true) return;
    code.line(`if (fill${at} > 0) {`);
    code.line(`const rest${at} = batch${at}.slice(0, fill${at});`);
    code.line(`batch${at} = ${after(`rest${at}`)};`);
    code.line(`fill${at} = 0;`);
    code.hand(`rest${at}`, `first${at}`, `firstSub${at}`);
    code.line('}');
  },
  reset({ at, flat, line }) {
    if (flat) return;
    line(`if (batch${at}.length > 0) batch${at} = ${after(`batch${at}`)};`);
    line(`fill${at} = 0;`);
  },
  save({ at, flat, identity }) {
    if (flat) return '{ items: sink.held() }';
    const first = identity ? `, first: first${at}, firstSub: firstSub${at}` : '';
    return `{ items: batch${at}.slice(0, fill${at})${first} }`;
  },
  load({ at, flat, identity, line }) {
    if (flat) {
      line('for (const item of saved.items) sink.put(item, sink.flat++);');
      return;
    }
    line(`batch${at} = saved.items;`);
    line(`fill${at} = saved.items.length;`);
    if (!identity) return;
    line(`first${at} = saved.first ?? 0;`);
    line(`firstSub${at} = saved.firstSub ?? 0;`);
  },
};

/**
 * The next batch of numbers starts as a copy of the one before: it has the right length and kind of array at once, where one that
 * grows is copied six times on its way to 256. One of other things starts with something that is no number either: V8 takes an empty
 * array for one of integers, and the loop, compiled for arrays of objects by then, would have to be compiled again.
 */
const after = (batch: string): string => `typeof ${batch}[0] === 'number' ? ${batch}.slice() : [undefined]`;

/**
 * The last operator before a channel makes no arrays: items go to the output one behind the other, and it counts rows.
 * Integers go straight into the column they will travel in; the first item that is none moves all of them.
 */
function flatElement(code: ElementCode): void {
  const { value, line, drop } = code;
  const size = setting(code, 'size');
  if (code.loop) {
    line(`if (ints_ !== undefined && ${isInt(value)}) ints_[flat_] = ${value};`);
    line(`else if (ints_ === undefined && flat_ < values.length) values[flat_] = ${value};`);
    line(`else ints_ = sink.put(${value}, flat_);`);
    code.worked();
    line(`if (++flat_ < edge_) ${drop};`);
    line(`edge_ += ${size};`);
  } else {
    line(`sink.put(${value}, sink.flat++);`);
    code.worked();
    line(`if (sink.flat < (sink.count + 1) * ${size}) ${drop};`);
  }
  code.row();
}

const isInt = (value: string): string =>
  `typeof ${value} === 'number' && (${value} | 0) === ${value} && !Object.is(${value}, -0)`;

function flatFlush(code: ElementCode): void {
  const { at, line } = code;
  line(`const rest${at} = sink.flat - sink.count * ${setting(code, 'size')};`);
  line(`if (rest${at} > 0) {`);
  if (code.settings.dropRemainder === true) {
    line(`sink.flat -= rest${at};`);
  } else {
    line(`sink.rest = rest${at};`);
    code.row();
  }
  line('}');
}
