import { type OperatorKind, setting } from './kind.ts';

/** Overlapping stretches of `size` elements, each `stride` elements after the one before. A stretch that is not whole is none. */
export const window: OperatorKind = {
  kind: 'window',
  sequential: true,
  elements: 'any',
  state({ at, identity, line }) {
    line(`let window${at} = [];`);
    line(`let gap${at} = 0;`);
    if (!identity) return;
    line(`let numbers${at} = [];`);
    line(`let subs${at} = [];`);
  },
  element(code) {
    const { at, identity, line } = code;
    const [size, stride] = [setting(code, 'size'), setting(code, 'stride')];
    // A stride beyond the size leaves elements out.
    line(`if (gap${at} > 0) {`);
    line(`gap${at}--;`);
    code.worked();
    line(`${code.drop};`);
    line('}');
    line(`window${at}.push(${code.value});`);
    if (identity) {
      line(`numbers${at}.push(${code.sequence});`);
      line(`subs${at}.push(${code.sub});`);
    }
    code.worked();
    line(`if (window${at}.length < ${size}) ${code.drop};`);
    line(`const seen${at} = window${at};`);
    line(`window${at} = window${at}.slice(${stride});`);
    line(`gap${at} = ${Math.max(0, stride - size)};`);
    if (identity) {
      line(`const itsNumber${at} = numbers${at}[0];`);
      line(`const itsSub${at} = subs${at}[0];`);
      line(`numbers${at} = numbers${at}.slice(${stride});`);
      line(`subs${at} = subs${at}.slice(${stride});`);
    }
    code.next(`seen${at}`, `itsNumber${at}`, `itsSub${at}`);
  },
  reset({ at, identity, line }) {
    line(`window${at} = [];`);
    line(`gap${at} = 0;`);
    if (!identity) return;
    line(`numbers${at} = [];`);
    line(`subs${at} = [];`);
  },
  save: ({ at, identity }) =>
    `{ window: window${at}, gap: gap${at}${identity ? `, numbers: numbers${at}, subs: subs${at}` : ''} }`,
  load({ at, identity, line }) {
    line(`window${at} = saved.window;`);
    line(`gap${at} = saved.gap;`);
    if (!identity) return;
    line(`numbers${at} = saved.numbers ?? saved.window.map(() => 0);`);
    line(`subs${at} = saved.subs ?? saved.window.map(() => 0);`);
  },
};
