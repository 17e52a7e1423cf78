import type { ElementCode, OperatorKind } from './kind.ts';

/** Every item of `items` goes on by itself. A generator that yields a million elements never holds them all. */
export function handOut(code: ElementCode, items: string): void {
  const { at } = code;
  if (code.identity) code.line(`let child${at} = 0;`);
  code.iterate(`item${at}`, items);
  code.workedOn();
  if (code.identity) code.line(`const path${at} = mixPath(${code.sub}, child${at}++);`);
  // A generator without end is left as soon as a `take` has had enough of it.
  if (code.mayStop) code.line(`if (stopped > ${at}) break;`);
  code.next(`item${at}`, code.sequence, code.identity ? `path${at}` : code.sub, 'continue');
  code.iterated();
  // What a generator does after its last item, or instead of any.
  code.workedOn();
}

export const flatMap: OperatorKind = {
  kind: 'flatMap',
  sequential: false,
  elements: 'any',
  callsFunction: true,
  many: true,
  element(code) {
    code.call(`items${code.at}`);
    code.worked();
    handOut(code, `items${code.at}`);
  },
};
