import { type ElementCode, type OperatorKind, setting } from './kind.ts';

/**
 * The next batch of numbers starts as a copy of the one before and is written over: it has the right length and kind of
 * array at once, where one that grows is copied six times on its way to 256.
 */
export const batch: OperatorKind = {
  kind: 'batch',
  sequential: true,
  owned: flat => (flat ? ['fill'] : ['batch', 'fill']),
  state({ at, identity, flat, line }) {
    if (flat) {
      line(`let fill${at} = 0;`);
      return;
    }
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
    line(`${held} = typeof whole${at}[0] === 'number' ? whole${at}.slice() : [];`);
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
    code.line(`batch${at} = [];`);
    code.line(`fill${at} = 0;`);
    code.hand(`rest${at}`, `first${at}`, `firstSub${at}`);
    code.line('}');
  },
  reset({ at, flat, line }) {
    if (flat) return;
    line(`batch${at} = [];`);
    line(`fill${at} = 0;`);
  },
};

/** The last operator before a channel makes no arrays: items go to the output one behind the other, and it counts rows. */
function flatElement(code: ElementCode): void {
  const fill = code.own('fill');
  code.line(`if (sink.flat < values.length) values[sink.flat] = ${code.value};`);
  code.line(`else values.push(${code.value});`);
  code.line('sink.flat++;');
  code.worked();
  code.line(`if (++${fill} < ${setting(code, 'size')}) ${code.drop};`);
  code.line(`${fill} = 0;`);
  code.row();
}

function flatFlush(code: ElementCode): void {
  const { at, line } = code;
  line(`if (fill${at} > 0) {`);
  if (code.settings.dropRemainder === true) {
    line(`sink.flat -= fill${at};`);
    line(`fill${at} = 0;`);
  } else {
    line(`sink.rest = fill${at};`);
    line(`fill${at} = 0;`);
    code.row();
  }
  line('}');
}
