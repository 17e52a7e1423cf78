import { type OperatorKind, setting } from './kind.ts';

/**
 * Batches of elements of about the same length: each element joins the bucket of the first boundary above its length, and
 * a full bucket leaves. At the end of a pass the buckets leave as they are, the shortest first.
 */
export const groupByLength: OperatorKind = {
  kind: 'groupByLength',
  sequential: true,
  elements: 'fewer',
  keepsOrder: false,
  callsFunction: true,
  state(code) {
    const { at, identity, line } = code;
    const buckets = boundaries(code).length + 1;
    line(`const limits${at} = ${JSON.stringify(boundaries(code))};`);
    line(`const buckets${at} = Array.from({ length: ${buckets} }, () => []);`);
    if (!identity) return;
    line(`const firsts${at} = new Array(${buckets}).fill(0);`);
    line(`const firstSubs${at} = new Array(${buckets}).fill(0);`);
  },
  element(code) {
    const { at, identity, line } = code;
    code.call(`length${at}`);
    line(`if (!(length${at} >= 0)) throw new TypeError('the length of an element must be a number from 0 up');`);
    line(`let place${at} = 0;`);
    line(`while (place${at} < limits${at}.length && length${at} >= limits${at}[place${at}]) place${at}++;`);
    line(`const bucket${at} = buckets${at}[place${at}];`);
    if (identity) {
      line(`if (bucket${at}.length === 0) firsts${at}[place${at}] = ${code.sequence};`);
      line(`if (bucket${at}.length === 0) firstSubs${at}[place${at}] = ${code.sub};`);
    }
    line(`bucket${at}.push(${code.value});`);
    code.worked();
    line(`if (bucket${at}.length < ${setting(code, 'size')}) ${code.drop};`);
    line(`buckets${at}[place${at}] = [];`);
    code.hand(`bucket${at}`, `firsts${at}[place${at}]`, `firstSubs${at}[place${at}]`);
  },
  flush(code) {
    const { at, line } = code;
    line(`for (let place${at} = 0; place${at} < buckets${at}.length; place${at}++) {`);
    line(`const bucket${at} = buckets${at}[place${at}];`);
    line(`if (bucket${at}.length === 0) continue;`);
    line(`buckets${at}[place${at}] = [];`);
    code.hand(`bucket${at}`, `firsts${at}[place${at}]`, `firstSubs${at}[place${at}]`);
    line('}');
  },
  reset({ at, line }) {
    line(`buckets${at}.forEach(bucket => (bucket.length = 0));`);
  },
  save: ({ at, identity }) =>
    `{ buckets: buckets${at}${identity ? `, firsts: firsts${at}, firstSubs: firstSubs${at}` : ''} }`,
  load({ at, identity, line }) {
    line(`for (let place = 0; place < buckets${at}.length; place++) {`);
    line(`buckets${at}[place] = saved.buckets[place];`);
    if (identity) {
      line(`firsts${at}[place] = saved.firsts?.[place] ?? 0;`);
      line(`firstSubs${at}[place] = saved.firstSubs?.[place] ?? 0;`);
    }
    line('}');
  },
};

const boundaries = ({ settings }: { readonly settings: Readonly<Record<string, unknown>> }): number[] =>
  settings.boundaries as number[];
