import { AggregateCode } from './aggregate-code.ts';
import { type CodeLine, Coder, type Value } from './coder.ts';
import { columnsOf, partsOf } from './expression.ts';
import { ExpressionCode, type Scope } from './expression-code.ts';
import { HashCode } from './hash-code.ts';
import { HelperCode } from './helper-code.ts';
import { type Expression, NUMBER, type Plan, type PlanOf } from './plan.ts';
import { RowBuffer } from './row-buffer.ts';
import type { TaggingDictionary } from './tagging-dictionary.ts';
import { columnIn } from './typing.ts';

/** A loop over rows, from a table or from rows that were kept to rows that are kept. */
export interface LoweredPipeline {
  readonly label: string;
  readonly lines: readonly CodeLine[];
}

type Consume = (column: (name: string) => Value) => void;

/**
 * From operators to pipelines of tasks, and from tasks to lines. Operators push rows to the one that holds them, in one loop, until one has
 * to keep them: there a pipeline ends and another begins (Neumann, Efficiently Compiling Efficient Query Plans, VLDB 2011).
 */
export class Lowering {
  readonly pipelines: LoweredPipeline[] = [];
  readonly inputs: unknown[] = [];
  readonly helpers = new HelperCode();
  readonly #numbers = new Map<unknown, number>();
  readonly #dictionary: TaggingDictionary;
  readonly #operators = new Map<Plan, number>();
  readonly #scalars = new Map<Plan, RowBuffer>();
  #names = 0;
  /** Pipelines that were begun: the last is being written. */
  #begun = 0;
  #current = 0;

  constructor(dictionary: TaggingDictionary) {
    this.#dictionary = dictionary;
  }

  /** Everything up to the rows that the plan gives. */
  keep(plan: Plan, label: string): RowBuffer {
    const columns = new Set(plan.schema.keys());
    const buffer = this.#buffer(plan, columns);
    const operator = this.#dictionary.operator({ kind: 'result', label });
    this.#pipeline(label, coder => {
      const task = this.#dictionary.task({ operator, pipeline: this.#current, role: 'keep' });
      coder.within(task, () => buffer.open(coder));
      this.#produce(plan, columns, coder, column => coder.within(task, () => buffer.append(coder, column)));
      coder.within(task, () => buffer.close(coder));
    });
    return buffer;
  }

  #pipeline(label: string, write: (coder: Coder) => void): void {
    const before = this.#current;
    this.#current = this.#begun++;
    const coder = new Coder({
      input: value => this.#input(value),
      next: () => this.#names++,
      helper: (helper, task) => this.helpers.of(helper, task),
    });
    write(coder);
    this.pipelines.push({ label, lines: coder.lines });
    this.#current = before;
  }

  #input(value: unknown): number {
    const known = this.#numbers.get(value);
    if (known !== undefined) return known;
    this.#numbers.set(value, this.inputs.length);
    return this.inputs.push(value) - 1;
  }

  #buffer(plan: Plan, columns: ReadonlySet<string>): RowBuffer {
    return new RowBuffer(`m${this.#names++}`, new Map([...plan.schema].filter(([column]) => columns.has(column))));
  }

  #task(plan: Plan, role: string): number {
    const known = this.#operators.get(plan);
    const operator = known ?? this.#dictionary.operator({ kind: plan.kind, label: plan.label });
    this.#operators.set(plan, operator);
    return this.#dictionary.task({ operator, pipeline: this.#current, role });
  }

  /** Writes the loop that makes the rows of `plan`; `consume` writes what becomes of each, and asks for `needed` columns alone. */
  #produce(plan: Plan, needed: ReadonlySet<string>, coder: Coder, consume: Consume): void {
    switch (plan.kind) {
      case 'scan':
        this.#scan(plan, coder, consume);
        return;
      case 'filter': {
        const task = this.#task(plan, 'filter');
        this.#prepare(plan.condition);
        this.#produce(plan.input, both(needed, columnsOf(plan.condition)), coder, column => {
          coder.within(task, () => this.#expressions(coder, column).require(plan.condition, 'continue'));
          consume(column);
        });
        return;
      }
      case 'project': {
        const task = this.#task(plan, 'project');
        const used = [...plan.columns].filter(([name]) => needed.has(name)).map(([, of]) => of);
        for (const of of used) this.#prepare(of);
        this.#produce(plan.input, new Set(used.flatMap(of => [...columnsOf(of)])), coder, column => {
          const scope = this.#expressions(coder, column);
          const key = coder.name('p');
          consume(name => {
            const of = plan.columns.get(name);
            if (of === undefined) throw new Error(`'${name}' is not projected`);
            return coder.within(task, () => coder.once(`${key}.${name}`, () => scope.value(of)));
          });
        });
        return;
      }
      case 'join':
        this.#join(plan, needed, coder, consume);
        return;
      case 'groupBy':
        this.#groupBy(plan, coder, consume);
        return;
      case 'orderBy':
        this.#orderBy(plan, needed, coder, consume);
        return;
      case 'limit': {
        const task = this.#task(plan, 'limit');
        const taken = coder.name('taken');
        coder.within(task, () => coder.before(() => coder.line(`let ${taken} = 0;`)));
        this.#produce(plan.input, needed, coder, column => {
          coder.within(task, () => {
            coder.line(`if (${taken} === ${plan.count}) break rows;`);
            coder.line(`${taken}++;`);
          });
          consume(column);
        });
        return;
      }
    }
  }

  #expressions(coder: Coder, column: (name: string) => Value): ExpressionCode {
    const scope: Scope = { column, scalar: plan => this.#scalar(coder, plan) };
    return new ExpressionCode(coder, scope);
  }

  /** Subqueries of an expression run before the pipeline that asks for their value. */
  #prepare(expression: Expression): void {
    if (expression.kind === 'scalar' && !this.#scalars.has(expression.plan)) {
      this.#scalars.set(expression.plan, this.keep(expression.plan, 'scalar'));
    }
    for (const part of partsOf(expression)) this.#prepare(part);
  }

  #scalar(coder: Coder, plan: Plan): Value {
    const buffer = this.#scalars.get(plan);
    const [name] = plan.schema.keys();
    if (buffer === undefined || name === undefined) throw new Error('a subquery was not run');
    const rows = buffer.rows(coder);
    const none = coder.given(`${buffer.name} none`, `oneRow(${rows}) === 0`);
    return buffer.get(coder, name, '0', none);
  }

  #scan(plan: PlanOf<'scan'>, coder: Coder, consume: Consume): void {
    const task = this.#task(plan, 'scan');
    const { table, prefix, schema } = plan;
    const row = coder.name('row');
    const read = (name: string): Value => {
      const facts = schema.get(name);
      const column = table.columns[name.slice(prefix.length)];
      if (column === undefined || facts === undefined) throw new Error(`no column '${name}'`);
      return coder.once(`${row}.${name}`, () => {
        const { type, dictionary } = facts;
        const own = `${coder.input(column.data)}[${row}]`;
        const code = coder.define('v', type === 'boolean' ? `${own} === 1` : own);
        const isNull =
          column.nulls === undefined ? undefined : coder.define('n', `${coder.input(column.nulls)}[${row}] === 1`);
        const texts = dictionary === undefined ? undefined : coder.input(dictionary);
        return { type, code, isNull, texts, isListed: dictionary !== undefined };
      });
    };
    coder.within(task, () => {
      coder.block(`rows: for (let ${row} = 0; ${row} < ${table.rows}; ${row}++) {`, () => {
        consume(name => coder.within(task, () => read(name)));
      });
    });
  }

  /** A loop over rows that were kept. */
  #read(task: number, buffer: RowBuffer, coder: Coder, consume: Consume, order?: string): void {
    coder.within(task, () => {
      const rows = buffer.rows(coder);
      const turn = coder.name('row');
      coder.block(`rows: for (let ${turn} = 0; ${turn} < ${rows}; ${turn}++) {`, () => {
        const row = order === undefined ? turn : coder.define('row', `${order}[${turn}]`);
        consume(name => coder.within(task, () => buffer.get(coder, name, row)));
      });
    });
  }

  /** A key as a number: a text by its place in a list that both sides share. */
  #keyOf(coder: Coder, value: Value, isShared: boolean): string {
    // It equals nothing, itself included: a table would never find it again.
    if (value.type === 'number') {
      const known = value.isNull === undefined ? '' : `!(${value.isNull}) && `;
      coder.line(`if (${known}${value.code} !== ${value.code}) notANumber();`);
    }
    if (value.type === 'boolean') return coder.define('k', `${value.code} ? 1 : 0`);
    if (value.type !== 'string' || (isShared && value.texts !== undefined)) return value.code;
    const text = value.texts === undefined ? value.code : `${value.texts}[${value.code}]`;
    return coder.define('k', `${coder.helper('placed')}(${text})`);
  }

  #join(plan: PlanOf<'join'>, needed: ReadonlySet<string>, coder: Coder, consume: Consume): void {
    const { left, right, on, how, condition } = plan;
    const wanted = both(needed, condition === undefined ? new Set() : columnsOf(condition));
    const ofRight = new Set([...right.schema.keys()].filter(name => wanted.has(name)));
    if (condition !== undefined) this.#prepare(condition);
    const numbers = new Map(
      on.map(({ right: name }, at) => {
        const { type, isWhole } = columnIn(right.schema, name);
        return [`key ${at}`, { ...NUMBER, isWhole: isWhole || type !== 'number' }];
      }),
    );
    const keys = [...numbers.keys()];
    const columns = new Map([...right.schema].filter(([name]) => ofRight.has(name)));
    const buffer = new RowBuffer(`m${this.#names++}`, new Map([...numbers, ...columns]));
    const hash = new HashCode(buffer, keys);
    this.#pipeline(`build ${plan.label}`, own => {
      const task = this.#task(plan, 'build');
      own.within(task, () => buffer.open(own));
      const all = both(ofRight, new Set(on.map(each => each.right)));
      this.#produce(right, all, own, column => {
        own.within(task, () => {
          const values = on.map(each => column(each.right));
          for (const { isNull } of values) if (isNull !== undefined) own.line(`if (${isNull}) continue;`);
          const codes = values.map(value => this.#keyOf(own, value, false));
          buffer.append(own, name => {
            const at = keys.indexOf(name);
            return at < 0 ? column(name) : number(codes[at] ?? '0');
          });
        });
      });
      own.within(task, () => {
        buffer.close(own);
        own.behind(() => hash.link(own));
      });
    });
    const task = this.#task(plan, 'probe');
    const ofLeft = new Set([...left.schema.keys()].filter(name => wanted.has(name)));
    this.#produce(left, both(ofLeft, new Set(on.map(each => each.left))), coder, column => {
      const values = on.map(each => column(each.left));
      const write = (): string[] => values.map(value => this.#keyOf(coder, value, false));
      const isUnknown = values.flatMap(({ isNull }) => isNull ?? []).join(' || ');
      const pair =
        (row: string, noRow?: string) =>
        (name: string): Value =>
          ofRight.has(name) && !left.schema.has(name)
            ? coder.within(task, () => buffer.get(coder, name, row, noRow))
            : column(name);
      const holds = (row: string): string | undefined => {
        if (condition === undefined) return undefined;
        const { code, isNull } = this.#expressions(coder, pair(row)).value(condition);
        return isNull === undefined ? code : `!${isNull} && ${code}`;
      };
      coder.within(task, () => {
        const found = (row: string, noRow?: string): void => consume(pair(row, noRow));
        hash.probe(coder, { keys: write, isUnknown, how, holds, found });
      });
    });
  }

  #groupBy(plan: PlanOf<'groupBy'>, coder: Coder, consume: Consume): void {
    const { input, keys, aggregates, schema } = plan;
    for (const { of } of aggregates.values()) if (of !== undefined) this.#prepare(of);
    const aggregate = new AggregateCode(`m${this.#names++}`, plan);
    this.#pipeline(plan.label, own => {
      const task = this.#task(plan, 'aggregate');
      own.within(task, () => aggregate.open(own));
      const used = [...aggregates.values()].flatMap(({ of }) => (of === undefined ? [] : [...columnsOf(of)]));
      this.#produce(input, new Set([...keys, ...used]), own, column => {
        own.within(task, () => {
          const values = keys.map(key => column(key));
          const scope = this.#expressions(own, column);
          aggregate.add(
            own,
            values,
            of => scope.value(of),
            value => this.#keyOf(own, value, true),
          );
        });
      });
      own.within(task, () => aggregate.close(own));
    });
    const task = this.#task(plan, 'read groups');
    this.#read(task, aggregate.buffer, coder, column => {
      consume(name => coder.within(task, () => aggregate.result(coder, name, column, schema)));
    });
  }

  #orderBy(plan: PlanOf<'orderBy'>, needed: ReadonlySet<string>, coder: Coder, consume: Consume): void {
    const columns = both(needed, new Set(plan.by.map(({ column }) => column)));
    const buffer = this.#buffer(plan, columns);
    this.#pipeline(plan.label, own => {
      const task = this.#task(plan, 'keep');
      own.within(task, () => buffer.open(own));
      this.#produce(plan.input, columns, own, column => own.within(task, () => buffer.append(own, column)));
      own.within(task, () => buffer.close(own));
    });
    const sort = this.#task(plan, 'sort');
    const order = coder.within(sort, () => coder.before(() => this.#sorted(plan, buffer, coder)));
    this.#read(this.#task(plan, 'read sorted'), buffer, coder, consume, order);
  }

  /** Places of the rows in order. Rows without a value are last, equal ones as they came. NaN is above every number. */
  #sorted({ by }: PlanOf<'orderBy'>, buffer: RowBuffer, coder: Coder): string {
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
}

const number = (code: string): Value => ({
  type: 'number',
  code,
  isNull: undefined,
  texts: undefined,
  isListed: false,
});

const both = (a: ReadonlySet<string>, b: ReadonlySet<string>): ReadonlySet<string> => new Set([...a, ...b]);
