import type { Coder, Value } from './coder.ts';
import type { PlanOf } from './plan.ts';
import type { RowBuffer } from './row-buffer.ts';

/** Places of the rows in order. Rows without a value are last, equal ones as they came. NaN is above every number. */
export function sortedPlaces({ by }: PlanOf<'orderBy'>, buffer: RowBuffer, coder: Coder): string {
  const rows = buffer.rows(coder);
  coder.line(`${coder.helper('claim')}(4 * ${rows});`);
  const order = coder.define('order', `new Int32Array(${rows})`);
  const place = coder.name('row');
  coder.line(`for (let ${place} = 0; ${place} < ${rows}; ${place}++) ${order}[${place}] = ${place};`);
  const [a, b] = [coder.name('row'), coder.name('row')];
  coder.block(
    `${order}.sort((${a}, ${b}) => {`,
    () => {
      for (const { column, descending } of by) {
        const [x, y] = [buffer.get(coder, column, a), buffer.get(coder, column, b)];
        if (x.isNull !== undefined && y.isNull !== undefined) {
          coder.line(`if (${x.isNull} !== ${y.isNull}) return ${x.isNull} ? 1 : -1;`);
        }
        const code = ({ code: own, texts }: Value): string =>
          texts === undefined ? own : coder.define('t', `${texts}[${own}]`);
        const [left, right] = [code(x), code(y)];
        const known = x.isNull === undefined ? '' : `!${x.isNull} && `;
        coder.line(`if (${known}${left} < ${right}) return ${descending ? 1 : -1};`);
        coder.line(`if (${known}${left} > ${right}) return ${descending ? -1 : 1};`);
        if (x.type === 'number') {
          const areApart = `(${left} !== ${left}) !== (${right} !== ${right})`;
          coder.line(`if (${known}${areApart}) return ${left} === ${left} ? ${descending ? '1 : -1' : '-1 : 1'};`);
        }
      }
      coder.line(`return ${a} - ${b};`);
    },
    '});',
  );
  return order;
}
