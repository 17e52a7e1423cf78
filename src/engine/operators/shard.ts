import { keeping, type OperatorKind, setting } from './kind.ts';

/** One element in `count`, the `index`-th of each: every process of several takes its own share of the same data. */
export const shard: OperatorKind = {
  kind: 'shard',
  sequential: true,
  elements: 'fewer',
  keepsValues: true,
  ...keeping({ turn: '-1' }),
  element(code) {
    const { at } = code;
    code.line(`turn${at} = turn${at} === ${setting(code, 'count') - 1} ? 0 : turn${at} + 1;`);
    code.worked();
    code.line(`if (turn${at} !== ${setting(code, 'index')}) ${code.drop};`);
    code.next(code.value);
  },
};
