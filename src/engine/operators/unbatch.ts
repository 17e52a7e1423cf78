import { handOut } from './flat-map.ts';
import type { OperatorKind } from './kind.ts';

/** The items of arrays one by one: the reverse of a batch. */
export const unbatch: OperatorKind = {
  kind: 'unbatch',
  sequential: false,
  elements: 'any',
  many: true,
  element(code) {
    code.worked();
    handOut(code, code.value);
  },
};
