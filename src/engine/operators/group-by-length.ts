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
    line(`let group${at} = 0;`);
    line(`while (group${at} < limits${at}.length && length${at} >= limits${at}[group${at}]) group${at}++;`);
    line(`const bucket${at} = buckets${at}[group${at}];`);
    if (identity) {
      line(`if (bucket${at}.length === 0) firsts${at}[group${at}] = ${code.sequence};`);
      line(`if (bucket${at}.length === 0) firstSubs${at}[group${at}] = ${code.sub};`);
    }
    line(`bucket${at}.push(${code.value});`);
    code.worked();
    line(`if (bucket${at}.length < ${setting(code, 'size')}) ${code.drop};`);
    line(`buckets${at}[group${at}] = [];`);
    code.hand(`bucket${at}`, `firsts${at}[group${at}]`, `firstSubs${at}[group${at}]`);
  },
  flush(code) {
    const { at, line } = code;
    line(`for (let group${at} = 0; group${at} < buckets${at}.length; group${at}++) {`);
    line(`const bucket${at} = buckets${at}[group${at}];`);
    line(`if (bucket${at}.length === 0) continue;`);
    line(`buckets${at}[group${at}] = [];`);
    code.hand(`bucket${at}`, `firsts${at}[group${at}]`, `firstSubs${at}[group${at}]`);
    line('}');
  },
  reset({ at, line }) {
    line(`buckets${at}.forEach(bucket => (bucket.length = 0));`);
  },
  save: ({ at, identity }) =>
    `{ buckets: buckets${at}${identity ? `, firsts: firsts${at}, firstSubs: firstSubs${at}` : ''} }`,
  load({ at, identity, line }) {
    line(`for (let group = 0; group < buckets${at}.length; group++) {`);
    line(`buckets${at}[group] = saved.buckets[group];`);
    if (identity) {
      line(`firsts${at}[group] = saved.firsts?.[group] ?? 0;`);
      line(`firstSubs${at}[group] = saved.firstSubs?.[group] ?? 0;`);
    }
    line('}');
  },
};

const boundaries = ({ settings }: { readonly settings: Readonly<Record<string, unknown>> }): number[] =>
  settings.boundaries as number[];
