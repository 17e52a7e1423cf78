import type { OperatorKind } from './kind.ts';

/** The iterable is consumed inside the loop: a generator that yields a million elements never holds them all. */
export const flatMap: OperatorKind = {
  kind: 'flatMap',
  sequential: false,
  many: true,
  element(code) {
    const { at } = code;
    if (code.identity) code.line(`let child${at} = 0;`);
    code.line(`const items${at} = ${code.call(code.value)};`);
    code.called(`items${at}`);
    code.worked();
    code.line(`for (const item${at} of items${at}) {`);
    code.workedOn();
    if (code.identity) code.line(`const path${at} = mixPath(${code.sub}, child${at}++);`);
    // A generator without end is left as soon as a `take` has had enough of it.
    if (code.mayStop) code.line(`if (stopped > ${at}) break;`);
    code.next(`item${at}`, code.sequence, code.identity ? `path${at}` : code.sub, 'continue');
    code.line('}');
    code.drew();
  },
};
