import { keeping, type OperatorKind, setting } from './kind.ts';

/** Overlapping windows of `size` elements, each `stride` elements after the one before. One that is not whole is none. */
export const window: OperatorKind = {
  kind: 'window',
  sequential: true,
  elements: 'any',
  ...keeping({ window: '[]', gap: '0' }, { numbers: '[]', subs: '[]' }, 'saved.window.map(() => 0)'),
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
};
