import type { OperatorKind } from './kind.ts';

export const map: OperatorKind = {
  kind: 'map',
  sequential: false,
  sameCount: true,
  element(code) {
    code.line(`const mapped${code.at} = ${code.call(code.value)};`);
    code.called(`mapped${code.at}`);
    code.worked();
    code.next(`mapped${code.at}`);
  },
};
