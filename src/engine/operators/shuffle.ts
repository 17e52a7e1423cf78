import { type OperatorKind, setting } from './kind.ts';

/**
 * A buffer of n: an arriving element takes the slot of a random one, which leaves. Each draw is keyed by the source's
 * pass and the number of the departure, so the order depends on the seed alone and differs from epoch to epoch. Started
 * over it counts anew: how many had left a pass that was cut short is a matter of timing.
 */
export const shuffle: OperatorKind = {
  kind: 'shuffle',
  sequential: true,
  elements: 'same',
  keepsOrder: false,
  keepsValues: true,
  work: 'moving',
  blocking: true,
  buffer: 'buffer',
  draws: true,
  state({ at, identity, line }) {
    line(`const buffer${at} = [];`);
    if (identity) {
      line(`const numbers${at} = [];`);
      line(`const subs${at} = [];`);
    }
    line(`let departure${at} = 0;`);
  },
  element(code) {
    const { at, identity, line } = code;
    const size = setting(code, 'buffer');
    line(`if (buffer${at}.length < ${size}) {`);
    line(`buffer${at}.push(${code.value});`);
    if (identity) {
      line(`numbers${at}.push(${code.sequence});`);
      line(`subs${at}.push(${code.sub});`);
    }
    code.worked();
    line(`${code.drop};`);
    line('}');
    line(`const index${at} = draw${at}(departure${at}++, ${size});`);
    line(`const leaving${at} = buffer${at}[index${at}];`);
    line(`buffer${at}[index${at}] = ${code.value};`);
    if (identity) {
      line(`const itsNumber${at} = numbers${at}[index${at}];`);
      line(`const itsSub${at} = subs${at}[index${at}];`);
      line(`numbers${at}[index${at}] = ${code.sequence};`);
      line(`subs${at}[index${at}] = ${code.sub};`);
    }
    code.worked();
    code.hand(`leaving${at}`, `itsNumber${at}`, `itsSub${at}`);
  },
  flush(code) {
    const { at, identity, line } = code;
    line(`while (buffer${at}.length > 0) {`);
    line(`const index${at} = draw${at}(departure${at}++, buffer${at}.length);`);
    line(`const leaving${at} = buffer${at}[index${at}];`);
    line(`const last${at} = buffer${at}.pop();`);
    line(`if (index${at} < buffer${at}.length) buffer${at}[index${at}] = last${at};`);
    if (identity) {
      line(`const itsNumber${at} = numbers${at}[index${at}];`);
      line(`const itsSub${at} = subs${at}[index${at}];`);
      line(`const lastNumber${at} = numbers${at}.pop();`);
      line(`const lastSub${at} = subs${at}.pop();`);
      line(`if (index${at} < numbers${at}.length) numbers${at}[index${at}] = lastNumber${at};`);
      line(`if (index${at} < subs${at}.length) subs${at}[index${at}] = lastSub${at};`);
    }
    code.hand(`leaving${at}`, `itsNumber${at}`, `itsSub${at}`);
    line('}');
  },
  reset({ at, line }) {
    line(`departure${at} = 0;`);
  },
  save: ({ at, identity }) =>
    `{ departure: departure${at}, buffer: buffer${at}.slice()${identity ? `, numbers: numbers${at}.slice(), subs: subs${at}.slice()` : ''} }`,
  load({ at, identity, line }) {
    line(`departure${at} = saved.departure;`);
    line(`for (let held = 0; held < saved.buffer.length; held++) {`);
    line(`buffer${at}.push(saved.buffer[held]);`);
    if (identity) {
      // Where nobody asked which elements these are, nobody will.
      line(`numbers${at}.push(saved.numbers?.[held] ?? 0);`);
      line(`subs${at}.push(saved.subs?.[held] ?? 0);`);
    }
    line('}');
  },
};
