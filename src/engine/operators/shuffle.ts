import { type OperatorKind, setting } from './kind.ts';

/**
 * A buffer of n: an arriving element takes the place of a random one, which leaves. Each draw is keyed by the number
 * of the arrival, so the order depends on the seed alone, and differs from epoch to epoch because arrivals count on.
 */
export const shuffle: OperatorKind = {
  kind: 'shuffle',
  sequential: true,
  state({ at, identity, line }) {
    line(`const buffer${at} = [];`);
    if (identity) line(`const numbers${at} = [], subs${at} = [];`);
    line(`let arrival${at} = 0;`);
  },
  element(code) {
    const { at, identity, line } = code;
    const size = setting(code, 'buffer');
    line(`if (buffer${at}.length < ${size}) {`);
    line(`buffer${at}.push(${code.value});`);
    if (identity) line(`numbers${at}.push(${code.sequence}); subs${at}.push(${code.sub});`);
    code.worked();
    line(`${code.drop};`);
    line('}');
    line(`const place${at} = draw${at}(arrival${at}++, ${size});`);
    line(`const leaving${at} = buffer${at}[place${at}];`);
    line(`buffer${at}[place${at}] = ${code.value};`);
    if (identity) {
      line(`const number${at} = numbers${at}[place${at}], sub${at} = subs${at}[place${at}];`);
      line(`numbers${at}[place${at}] = ${code.sequence}; subs${at}[place${at}] = ${code.sub};`);
    }
    code.worked();
    code.hand(`leaving${at}`, `number${at}`, `sub${at}`);
  },
  flush(code) {
    const { at, identity, line } = code;
    line(`while (buffer${at}.length > 0) {`);
    line(`const place${at} = draw${at}(arrival${at}++, buffer${at}.length);`);
    line(`const leaving${at} = buffer${at}[place${at}];`);
    line(`const last${at} = buffer${at}.pop();`);
    line(`if (place${at} < buffer${at}.length) buffer${at}[place${at}] = last${at};`);
    if (identity) {
      line(`const number${at} = numbers${at}[place${at}], sub${at} = subs${at}[place${at}];`);
      line(`const lastNumber${at} = numbers${at}.pop(), lastSub${at} = subs${at}.pop();`);
      line(
        `if (place${at} < numbers${at}.length) { numbers${at}[place${at}] = lastNumber${at}; subs${at}[place${at}] = lastSub${at}; }`,
      );
    }
    code.hand(`leaving${at}`, `number${at}`, `sub${at}`);
    line('}');
  },
};
