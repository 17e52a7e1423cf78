import { type OperatorKind, setting } from './kind.ts';

export const batch: OperatorKind = {
  kind: 'batch',
  sequential: true,
  state({ at, identity, line }) {
    line(`let batch${at} = [];`);
    if (identity) line(`let first${at} = 0, firstSub${at} = 0;`);
  },
  element(code) {
    const { at, identity, line } = code;
    if (identity) line(`if (batch${at}.length === 0) { first${at} = ${code.sequence}; firstSub${at} = ${code.sub}; }`);
    line(`batch${at}.push(${code.value});`);
    code.worked();
    line(`if (batch${at}.length < ${setting(code, 'size')}) { ${code.drop}; }`);
    line(`const whole${at} = batch${at};`);
    line(`batch${at} = [];`);
    code.hand(`whole${at}`, `first${at}`, `firstSub${at}`);
  },
  flush(code) {
    const { at } = code;
    if (code.settings.dropRemainder === true) return;
    code.line(`if (batch${at}.length > 0) {`);
    code.line(`const rest${at} = batch${at};`);
    code.line(`batch${at} = [];`);
    code.hand(`rest${at}`, `first${at}`, `firstSub${at}`);
    code.line('}');
  },
  reset({ at, line }) {
    line(`batch${at} = [];`);
  },
};
