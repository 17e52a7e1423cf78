import type { OperatorKind } from './kind.ts';

export const map: OperatorKind = {
  kind: 'map',
  sequential: false,
  elements: 'same',
  callsFunction: true,
  sameCount: true,
  element(code) {
    code.call(`mapped${code.at}`);
    code.worked();
    code.next(`mapped${code.at}`);
  },
};
