import type { OperatorKind } from './kind.ts';

/** The items of arrays one by one: the reverse of a batch. */
export const unbatch: OperatorKind = {
  kind: 'unbatch',
  sequential: false,
  many: true,
  element(code) {
    const { at } = code;
    if (code.identity) code.line(`let child${at} = 0;`);
    code.line(`for (const item${at} of ${code.value}) {`);
    code.workedOn();
    if (code.identity) code.line(`const path${at} = mixPath(${code.sub}, child${at}++);`);
    if (code.mayStop) code.line(`if (stopped > ${at}) break;`);
    code.next(`item${at}`, code.sequence, code.identity ? `path${at}` : code.sub, 'continue');
    code.line('}');
    code.drew();
  },
};
