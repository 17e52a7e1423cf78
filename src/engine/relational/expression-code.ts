import type { Coder, Value } from './coder.ts';
import { columnsOf, partsOf } from './expression.ts';
import { likeTest } from './like.ts';
import { literal } from './passes/statement.ts';
import type { Expression, Plan } from './plan.ts';
import type { ColumnType } from './table.ts';

/** The columns that an expression may name, and what scalar subqueries came to. */
export interface Scope {
  column(name: string): Value;
  scalar(plan: Plan): Value;
}

const plain = (type: ColumnType, code: string, isNull?: string): Value => ({
  type,
  code,
  isNull,
  texts: undefined,
  isListed: false,
});

/** Writes the lines that compute an expression for a row, an operation each. */
export class ExpressionCode {
  readonly #coder: Coder;
  readonly #scope: Scope;

  constructor(coder: Coder, scope: Scope) {
    this.#coder = coder;
    this.#scope = scope;
  }

  value(expression: Expression): Value {
    return this.#overTexts(expression) ?? this.#direct(expression);
  }

  /** Leaves a row for which it does not hold: `drop` is the statement. Conditions that all must hold are looked at one by one. */
  require(expression: Expression, drop: string): void {
    if (expression.kind === 'and') {
      this.require(expression.left, drop);
      this.require(expression.right, drop);
      return;
    }
    const { code, isNull } = this.value(expression);
    this.#coder.line(`if (${isNull === undefined ? '' : `${isNull} || `}!${code}) ${drop};`);
  }

  /** The text of a value. */
  text(value: Value): string {
    return value.texts === undefined ? value.code : this.#define('t', `${value.texts}[${value.code}]`);
  }

  /** A condition on one column of listed texts is worked out for each text, before the first row. */
  #overTexts(expression: Expression): Value | undefined {
    if (!CONDITIONS.has(expression.kind)) return undefined;
    const names = columnsOf(expression);
    const [name] = names;
    if (names.size !== 1 || name === undefined || hasScalar(expression)) return undefined;
    const column = this.#scope.column(name);
    const { texts } = column;
    if (texts === undefined || !column.isListed || column.isNull !== undefined) return undefined;
    const coder = this.#coder;
    const holds = coder.before(() => {
      const table = coder.define('holds', `new Uint8Array(${texts}.length)`);
      const place = coder.name('place');
      coder.block(`for (let ${place} = 0; ${place} < ${texts}.length; ${place}++) {`, () => {
        const text = plain('string', coder.define('t', `${texts}[${place}]`));
        const scope = { column: () => text, scalar: this.#scope.scalar };
        const { code } = new ExpressionCode(coder, scope).#direct(expression);
        coder.line(`${table}[${place}] = ${code} ? 1 : 0;`);
      });
      return table;
    });
    return plain('boolean', this.#define('v', `${holds}[${column.code}] === 1`));
  }

  #direct(expression: Expression): Value {
    switch (expression.kind) {
      case 'column':
        return this.#scope.column(expression.name);
      case 'constant':
        return plain(expression.type, literal(expression.value));
      case 'arithmetic':
        return this.#arithmetic(expression);
      case 'comparison':
        return this.#comparison(expression);
      case 'and':
      case 'or':
        return this.#logical(expression);
      case 'not': {
        const { code, isNull } = this.value(expression.of);
        return plain('boolean', this.#define('v', `!${code}`), isNull);
      }
      case 'isNull':
        return plain('boolean', this.value(expression.of).isNull ?? 'false');
      case 'case':
        return this.#case(expression);
      case 'like': {
        const of = this.value(expression.of);
        const test = likeTest(expression.pattern, this.text(of), pattern => this.#coder.input(pattern));
        return plain('boolean', this.#define('v', test), of.isNull);
      }
      case 'in': {
        const of = this.value(expression.of);
        const code = of.type === 'string' ? this.text(of) : of.code;
        const list = expression.values.map(each => `${code} === ${literal(each)}`).join(' || ');
        return plain('boolean', this.#define('v', list === '' ? 'false' : list), of.isNull);
      }
      case 'extract':
        return this.#extract(expression.part, this.value(expression.of));
      case 'substring': {
        const of = this.value(expression.of);
        const from = expression.from - 1;
        return plain(
          'string',
          this.#define('t', `${this.text(of)}.slice(${from}, ${from + expression.length})`),
          of.isNull,
        );
      }
      case 'scalar':
        return this.#scope.scalar(expression.plan);
    }
  }

  #define(prefix: string, expression: string): string {
    return this.#coder.define(prefix, expression);
  }

  #eitherNull(left: Value, right: Value): string | undefined {
    if (left.isNull === undefined || right.isNull === undefined) return left.isNull ?? right.isNull;
    return left.isNull === right.isNull ? left.isNull : this.#define('n', `${left.isNull} || ${right.isNull}`);
  }

  #arithmetic({ operator, left, right }: Extract<Expression, { kind: 'arithmetic' }>): Value {
    const [a, b] = [this.value(left), this.value(right)];
    const isNull = this.#eitherNull(a, b);
    if (operator === '/') {
      const known = isNull === undefined ? '' : `!${isNull} && `;
      this.#coder.line(`if (${known}${b.code} === 0) divisionByZero();`);
    }
    const type = a.type === 'date' && b.type === 'number' ? 'date' : 'number';
    const code = this.#define('v', `${a.code} ${operator} ${b.code}`);
    // What there is not may be divided by: a harmless 0 by a harmless 0.
    return plain(
      type,
      operator === '/' && isNull !== undefined ? this.#define('v', `${isNull} ? 0 : ${code}`) : code,
      isNull,
    );
  }

  #comparison({ operator, left, right }: Extract<Expression, { kind: 'comparison' }>): Value {
    const [a, b] = [this.value(left), this.value(right)];
    const isNull = this.#eitherNull(a, b);
    const isSameList = a.texts !== undefined && a.texts === b.texts && (operator === '=' || operator === '<>');
    const [x, y] = a.type === 'string' && !isSameList ? [this.text(a), this.text(b)] : [a.code, b.code];
    const own = operator === '=' ? '===' : operator === '<>' ? '!==' : operator;
    return plain('boolean', this.#define('v', `${x} ${own} ${y}`), isNull);
  }

  /** With three truth values: false and unknown is false, true or unknown is true. */
  #logical({ kind, left, right }: Extract<Expression, { kind: 'and' | 'or' }>): Value {
    const coder = this.#coder;
    const a = this.value(left);
    const result = coder.name('v');
    const unknown = coder.name('n');
    const decides = kind === 'and' ? `!${a.code}` : a.code;
    coder.line(`let ${result} = ${kind === 'or'};`);
    coder.line(`let ${unknown} = false;`);
    let nullable = a.isNull !== undefined;
    // The second is not looked at where the first decides.
    coder.block(`if (${a.isNull ?? 'false'} || !(${decides})) {`, () => {
      const b = this.value(right);
      nullable ||= b.isNull !== undefined;
      const open = [a.isNull, b.isNull].filter(each => each !== undefined);
      coder.line(`${result} = ${b.isNull === undefined ? '' : `!${b.isNull} && `}${b.code};`);
      if (open.length === 0) return;
      const decided = `${b.isNull === undefined ? '' : `!${b.isNull} && `}${kind === 'and' ? `!${b.code}` : b.code}`;
      coder.line(`${unknown} = (${open.join(' || ')}) && !(${decided});`);
      coder.line(`if (${unknown}) ${result} = false;`);
    });
    return plain('boolean', result, nullable ? unknown : undefined);
  }

  #case({ when, value, otherwise }: Extract<Expression, { kind: 'case' }>): Value {
    const coder = this.#coder;
    const condition = this.value(when);
    const result = coder.name('v');
    const unknown = coder.name('n');
    coder.line(`let ${result};`);
    coder.line(`let ${unknown} = false;`);
    const branch = (of: Expression): Value => {
      const own = this.value(of);
      coder.line(`${result} = ${own.type === 'string' ? this.text(own) : own.code};`);
      if (own.isNull !== undefined) coder.line(`${unknown} = ${own.isNull};`);
      return own;
    };
    const taken: Value[] = [];
    const known = condition.isNull === undefined ? '' : `!${condition.isNull} && `;
    coder.block(`if (${known}${condition.code}) {`, () => taken.push(branch(value)), '} else {');
    coder.block('{', () => taken.push(branch(otherwise)));
    coder.line('}');
    return plain(
      taken[0]?.type ?? 'number',
      result,
      taken.some(({ isNull }) => isNull !== undefined) ? unknown : undefined,
    );
  }

  /** The civil calendar from days since 1970-01-01, counted from March of the year 0 (H. Hinnant, chrono-compatible algorithms). */
  #extract(part: 'year' | 'month' | 'day', of: Value): Value {
    const day = this.#define('v', `${of.code} + 719468`);
    const era = this.#define('v', `Math.floor(${day} / 146097)`);
    const inEra = this.#define('v', `${day} - ${era} * 146097`);
    const year = this.#define(
      'v',
      `Math.floor((${inEra} - Math.floor(${inEra} / 1460) + Math.floor(${inEra} / 36524) - Math.floor(${inEra} / 146096)) / 365)`,
    );
    const inYear = this.#define(
      'v',
      `${inEra} - (365 * ${year} + Math.floor(${year} / 4) - Math.floor(${year} / 100))`,
    );
    const fromMarch = this.#define('v', `Math.floor((5 * ${inYear} + 2) / 153)`);
    if (part === 'day') {
      return plain('number', this.#define('v', `${inYear} - Math.floor((153 * ${fromMarch} + 2) / 5) + 1`), of.isNull);
    }
    const month = this.#define('v', `${fromMarch} < 10 ? ${fromMarch} + 3 : ${fromMarch} - 9`);
    if (part === 'month') return plain('number', month, of.isNull);
    return plain('number', this.#define('v', `${year} + ${era} * 400 + (${month} <= 2 ? 1 : 0)`), of.isNull);
  }
}

const CONDITIONS = new Set<Expression['kind']>(['comparison', 'like', 'in', 'and', 'or', 'not']);

const hasScalar = (expression: Expression): boolean =>
  expression.kind === 'scalar' || partsOf(expression).some(hasScalar);
