import { type OperatorKind, setting } from './kind.ts';

export const take: OperatorKind = {
  kind: 'take',
  sequential: true,
  elements: 'fewer',
  keepsValues: true,
  work: 'moving',
  state(code) {
    code.line(`let taken${code.at} = 0;`);
    if (setting(code, 'count') === 0) code.line(`stopped = ${code.at};`);
  },
  element(code) {
    const { at, line } = code;
    const count = setting(code, 'count');
    line(`if (taken${at} >= ${count}) ${code.drop};`);
    line(`if (++taken${at} === ${count} && stopped < ${at}) stopped = ${at};`);
    code.worked();
    code.next(code.value);
  },
  reset(code) {
    code.line(`taken${code.at} = 0;`);
    if (setting(code, 'count') === 0) code.line(`stopped = ${code.at};`);
  },
  save: ({ at }) => `{ taken: taken${at} }`,
  load: ({ at, line }) => line(`taken${at} = saved.taken;`),
};
