import { type OperatorKind, setting } from './kind.ts';

/**
 * The next batch of numbers starts as a copy of the one before and is written over: it has the right length and kind of
 * array at once, where one that grows is copied six times on its way to 256.
 */
export const batch: OperatorKind = {
  kind: 'batch',
  sequential: true,
  owned: ['batch', 'fill'],
  state({ at, identity, line }) {
    line(`let batch${at} = [];`);
    line(`let fill${at} = 0;`);
    if (!identity) return;
    line(`let first${at} = 0;`);
    line(`let firstSub${at} = 0;`);
  },
  element(code) {
    const { at, identity, line } = code;
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
    line(`${held} = typeof whole${at}[0] === 'number' ? whole${at}.slice() : [];`);
    line(`${fill} = 0;`);
    code.hand(`whole${at}`, `first${at}`, `firstSub${at}`);
  },
  flush(code) {
    const { at } = code;
    if (code.settings.dropRemainder === true) return;
    code.line(`if (fill${at} > 0) {`);
    code.line(`const rest${at} = batch${at}.slice(0, fill${at});`);
    code.line(`batch${at} = [];`);
    code.line(`fill${at} = 0;`);
    code.hand(`rest${at}`, `first${at}`, `firstSub${at}`);
    code.line('}');
  },
  reset({ at, line }) {
    line(`batch${at} = [];`);
    line(`fill${at} = 0;`);
  },
};
