import { keeping, type OperatorKind, setting } from './kind.ts';

export const skip: OperatorKind = {
  kind: 'skip',
  sequential: true,
  elements: 'fewer',
  keepsValues: true,
  work: 'moving',
  ...keeping({ skipped: '0' }),
  element(code) {
    code.line(`if (skipped${code.at} < ${setting(code, 'count')}) {`);
    code.line(`skipped${code.at}++;`);
    code.line(`${code.drop};`);
    code.line('}');
    code.worked();
    code.next(code.value);
  },
};
