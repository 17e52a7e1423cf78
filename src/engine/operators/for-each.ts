import type { OperatorKind } from './kind.ts';

/** A sink inside the workers: no element leaves it. */
export const forEach: OperatorKind = {
  kind: 'forEach',
  sequential: false,
  elements: 'fewer',
  callsFunction: true,
  effectsInOrder: true,
  sink: true,
  element(code) {
    code.call(`done${code.at}`);
    code.worked();
    code.line(`${code.drop};`);
  },
};
