import type { OperatorKind } from './kind.ts';

export const filter: OperatorKind = {
  kind: 'filter',
  sequential: false,
  elements: 'fewer',
  keepsValues: true,
  callsFunction: true,
  element(code) {
    code.call(`kept${code.at}`);
    code.worked();
    code.line(`if (!kept${code.at}) ${code.drop};`);
    code.next(code.value);
  },
};
