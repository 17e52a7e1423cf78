import type { OperatorKind } from './kind.ts';

/** A batch that is made in one array for each place where its elements have numbers: see `Stacking`. */
export const stack: OperatorKind = {
  kind: 'stack',
  sequential: true,
  elements: 'fewer',
  refuses: true,
  state({ at, identity, line }) {
    line(`const stack${at} = stacks[${at}];`);
    if (!identity) return;
    line(`let began${at} = false;`);
    line(`let first${at} = 0;`);
    line(`let firstSub${at} = 0;`);
  },
  element(code) {
    const { at, identity, line } = code;
    line(`const whole${at} = stack${at}.add(${code.value});`);
    code.worked();
    if (identity) {
      line(`if (!began${at}) {`);
      line(`began${at} = true;`);
      line(`first${at} = ${code.sequence};`);
      line(`firstSub${at} = ${code.sub};`);
      line('}');
    }
    line(`if (whole${at} === undefined) ${code.drop};`);
    if (identity) line(`began${at} = false;`);
    code.hand(`whole${at}`, `first${at}`, `firstSub${at}`);
  },
  flush(code) {
    const { at, line } = code;
    if (code.settings.dropRemainder === true) return;
    line(`const rest${at} = stack${at}.rest();`);
    if (code.identity) line(`began${at} = false;`);
    line(`if (rest${at} !== undefined) {`);
    code.hand(`rest${at}`, `first${at}`, `firstSub${at}`);
    line('}');
  },
  reset({ at, identity, line }) {
    line(`stack${at}.reset();`);
    if (identity) line(`began${at} = false;`);
  },
  save: ({ at, identity }) =>
    `{ items: stack${at}.held()${identity ? `, first: first${at}, firstSub: firstSub${at}` : ''} }`,
  load({ at, identity, line }) {
    line(`for (const item of saved.items) stack${at}.add(item);`);
    if (!identity) return;
    line(`began${at} = saved.items.length > 0;`);
    line(`first${at} = saved.first ?? 0;`);
    line(`firstSub${at} = saved.firstSub ?? 0;`);
  },
};
