import type { BegunPipelines } from './begun-pipelines.ts';
import type { Coder, Value } from './coder.ts';
import { columnsOf, partsOf } from './expression.ts';
import { ExpressionCode, type Scope } from './expression-code.ts';
import { GroupCode } from './group-code.ts';
import { GroupJoinCode } from './group-join-code.ts';
import { HashCode } from './hash-code.ts';
import {
  type Aggregate,
  type Expression,
  type GroupJoinSide,
  type JoinHow,
  NUMBER,
  type Plan,
  type PlanOf,
} from './plan.ts';
import { RowBuffer } from './row-buffer.ts';
import { sortedPlaces } from './sort-code.ts';
import { columnValue } from './table-code.ts';
import { columnIn } from './typing.ts';

/** Rows of one side of a join in a hash table. */
interface KeptSide {
  readonly side: GroupJoinSide;
  readonly buffer: RowBuffer;
  readonly hash: HashCode;
  /** Those that are asked for besides the keys. */
  readonly columns: ReadonlySet<string>;
}

type Consume = (column: (name: string) => Value) => void;

/**
 * From operators to pipelines of tasks, and from tasks to lines. Operators push rows to the one that holds them, in one loop, until one has
 * to keep them: there a pipeline ends and another begins (Neumann, Efficiently Compiling Efficient Query Plans, VLDB 2011).
 */
export class Lowering {
  readonly #begun: BegunPipelines;
  readonly #scalars = new Map<Plan, RowBuffer>();

  constructor(begun: BegunPipelines) {
    this.#begun = begun;
  }

  /** Everything up to the rows that the plan gives. */
  keep(plan: Plan, label: string): RowBuffer {
    const columns = new Set(plan.schema.keys());
    const buffer = this.#buffer(plan, columns);
    this.#begun.pipeline(label, coder => {
      const task = this.#begun.own('result', label, 'keep');
      coder.within(task, () => buffer.open(coder));
      const rows = this.#produce(plan, columns, coder, column =>
        coder.within(task, () => buffer.append(coder, column)),
      );
      this.#begun.entered(task, rows);
      coder.within(task, () => buffer.close(coder));
    });
    return buffer;
  }

  #buffer(plan: Plan, columns: ReadonlySet<string>): RowBuffer {
    return new RowBuffer(this.#begun.memory(), new Map([...plan.schema].filter(([column]) => columns.has(column))));
  }

  /**
   * Writes the loop that makes the rows of `plan`; `consume` writes what becomes of each, and asks for `needed` columns alone. Gives the number of the edge on which rows leave it.
   */
  #produce(plan: Plan, needed: ReadonlySet<string>, coder: Coder, consume: Consume): number {
    switch (plan.kind) {
      case 'scan':
        return this.#scan(plan, coder, consume);
      case 'filter': {
        const task = this.#begun.task(plan, 'filter');
        this.#prepare(plan.condition);
        const { edge, passing } = coder.within(task, () => this.#begun.counts.counted(coder));
        const rows = this.#produce(plan.input, both(needed, columnsOf(plan.condition)), coder, column => {
          coder.within(task, () => {
            this.#expressions(coder, column).require(plan.condition, 'continue');
            passing();
          });
          consume(column);
        });
        this.#begun.entered(task, rows);
        return edge;
      }
      case 'project': {
        const task = this.#begun.task(plan, 'project');
        const used = [...plan.columns].filter(([name]) => needed.has(name)).map(([, of]) => of);
        for (const of of used) this.#prepare(of);
        const rows = this.#produce(plan.input, new Set(used.flatMap(of => [...columnsOf(of)])), coder, column => {
          const scope = this.#expressions(coder, column);
          const key = coder.name('p');
          consume(name => {
            const of = plan.columns.get(name);
            if (of === undefined) throw new Error(`'${name}' is not projected`);
            return coder.within(task, () => coder.once(`${key}.${name}`, () => scope.value(of)));
          });
        });
        this.#begun.entered(task, rows);
        return rows;
      }
      case 'join':
        return this.#join(plan, needed, coder, consume);
      case 'groupBy':
        return this.#groupBy(plan, coder, consume);
      case 'orderBy':
        return this.#orderBy(plan, needed, coder, consume);
      case 'limit': {
        const task = this.#begun.task(plan, 'limit');
        const taken = coder.name('taken');
        coder.within(task, () => coder.before(() => coder.line(`let ${taken} = 0;`)));
        coder.cut();
        const rows = this.#produce(plan.input, needed, coder, column => {
          coder.within(task, () => {
            coder.line(`if (${taken} === ${plan.count}) break rows;`);
            coder.line(`${taken}++;`);
          });
          consume(column);
        });
        this.#begun.entered(task, rows);
        return coder.within(task, () => this.#begun.counts.known(coder, taken));
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

  #scan(plan: PlanOf<'scan'>, coder: Coder, consume: Consume): number {
    const task = this.#begun.task(plan, 'scan');
    const rows = coder.within(task, () =>
      this.#rows(coder, `${plan.table.rows}`, undefined, row =>
        consume(name => coder.within(task, () => columnValue(plan, coder, name, row))),
      ),
    );
    this.#begun.entered(task, rows);
    return rows;
  }

  /** A loop over rows that were kept. */
  #read(task: number, buffer: RowBuffer, coder: Coder, consume: Consume, order?: string): number {
    return coder.within(task, () =>
      this.#rows(coder, buffer.rows(coder), order, row =>
        consume(name => coder.within(task, () => buffer.get(coder, name, row))),
      ),
    );
  }

  /** The loop itself: `order` lists the rows where they do not come in their own order. All of them are read, unless a limit cuts the loop: then they are counted. */
  #rows(coder: Coder, rows: string, order: string | undefined, write: (row: string) => void): number {
    const turn = coder.name('row');
    const counted = coder.isCut ? this.#begun.counts.counted(coder) : undefined;
    coder.block(`rows: for (let ${turn} = 0; ${turn} < ${rows}; ${turn}++) {`, () => {
      counted?.passing();
      write(order === undefined ? turn : coder.define('row', `${order}[${turn}]`));
    });
    return counted?.edge ?? this.#begun.counts.known(coder, rows);
  }

  #join(plan: PlanOf<'join'>, needed: ReadonlySet<string>, coder: Coder, consume: Consume): number {
    const kept = this.#build(plan, 'right', needed);
    return this.#probe(plan, kept, needed, coder, plan.how, (_, column) => consume(column));
  }

  /** The pipeline that keeps a side of a join in a hash table. */
  #build(plan: PlanOf<'join'>, side: GroupJoinSide, needed: ReadonlySet<string>, isUnique = false): KeptSide {
    const { condition, on } = plan;
    if (condition !== undefined) this.#prepare(condition);
    const input = plan[side];
    const wanted = both(needed, condition === undefined ? new Set() : columnsOf(condition));
    const columns = new Map([...input.schema].filter(([name]) => wanted.has(name)));
    const numbers = new Map(
      on.map((each, at) => {
        const { type, isWhole } = columnIn(input.schema, each[side]);
        return [`key ${at}`, { ...NUMBER, isWhole: isWhole || type !== 'number' }];
      }),
    );
    const keys = [...numbers.keys()];
    const buffer = new RowBuffer(this.#begun.memory(), new Map([...numbers, ...columns]));
    const hash = new HashCode(buffer, keys);
    this.#begun.pipeline(`build ${plan.label}`, own => {
      const task = this.#begun.task(plan, 'build');
      own.within(task, () => buffer.open(own));
      const all = both(new Set(columns.keys()), new Set(on.map(each => each[side])));
      const rows = this.#produce(input, all, own, column => {
        own.within(task, () => {
          const values = on.map(each => column(each[side]));
          for (const { isNull } of values) if (isNull !== undefined) own.line(`if (${isNull}) continue;`);
          const codes = values.map(value => this.#begun.keyOf(own, value, false));
          buffer.append(own, name => {
            const at = keys.indexOf(name);
            return at < 0 ? column(name) : number(codes[at] ?? '0');
          });
        });
      });
      this.#begun.entered(task, rows);
      own.within(task, () => {
        buffer.close(own);
        own.behind(() => hash.link(own, isUnique));
      });
    });
    return { side, buffer, hash, columns: new Set(columns.keys()) };
  }

  /** Rows of the other side look for theirs. `found` writes what becomes of a pair, `row` being the one that was kept. */
  #probe(
    plan: PlanOf<'join'>,
    { side, buffer, hash, columns }: KeptSide,
    needed: ReadonlySet<string>,
    coder: Coder,
    how: JoinHow,
    found: (row: string, column: (name: string) => Value) => void,
  ): number {
    const { on, condition } = plan;
    const other = side === 'right' ? 'left' : 'right';
    const input = plan[other];
    const wanted = both(needed, condition === undefined ? new Set() : columnsOf(condition));
    const task = this.#begun.task(plan, 'probe');
    const own = new Set([...input.schema.keys()].filter(name => wanted.has(name)));
    const { edge, passing } = coder.within(task, () => this.#begun.counts.counted(coder));
    const rows = this.#produce(input, both(own, new Set(on.map(each => each[other]))), coder, column => {
      const values = on.map(each => column(each[other]));
      const write = (): string[] => values.map(value => this.#begun.keyOf(coder, value, false));
      const isUnknown = values.flatMap(({ isNull }) => isNull ?? []).join(' || ');
      const pair =
        (row: string, noRow?: string) =>
        (name: string): Value =>
          columns.has(name) && !input.schema.has(name)
            ? coder.within(task, () => buffer.get(coder, name, row, noRow))
            : column(name);
      const holds = (row: string): string | undefined => {
        if (condition === undefined) return undefined;
        const { code, isNull } = this.#expressions(coder, pair(row)).value(condition);
        return isNull === undefined ? code : `!${isNull} && ${code}`;
      };
      coder.within(task, () => {
        const match = (row: string, noRow?: string): void => {
          passing();
          found(row, pair(row, noRow));
        };
        hash.probe(coder, { keys: write, isUnknown, how, holds, found: match });
      });
    });
    this.#begun.entered(task, rows);
    return edge;
  }

  #groupBy(plan: PlanOf<'groupBy'>, coder: Coder, consume: Consume): number {
    const { input, keys, aggregates, schema } = plan;
    for (const { of } of aggregates.values()) if (of !== undefined) this.#prepare(of);
    if (plan.groupJoin !== undefined && input.kind === 'join') {
      return this.#groupJoin(plan, input, plan.groupJoin, coder, consume);
    }
    const groups = new GroupCode(this.#begun.memory(), plan);
    this.#begun.pipeline(plan.label, own => {
      const task = this.#begun.task(plan, 'aggregate');
      own.within(task, () => groups.open(own));
      const rows = this.#produce(input, new Set([...keys, ...readBy(aggregates)]), own, column => {
        own.within(task, () => {
          const values = keys.map(key => column(key));
          const scope = this.#expressions(own, column);
          groups.add(
            own,
            values,
            of => scope.value(of),
            value => this.#begun.keyOf(own, value, true),
          );
        });
      });
      this.#begun.entered(task, rows);
      own.within(task, () => groups.close(own));
    });
    const task = this.#begun.task(plan, 'read groups');
    return this.#read(task, groups.buffer, coder, column => {
      consume(name => coder.within(task, () => groups.result(coder, name, column, schema)));
    });
  }

  /** Two operators in one: what finds a pair is the join's, what adds it to its group is the group-by's. */
  #groupJoin(
    plan: PlanOf<'groupBy'>,
    join: PlanOf<'join'>,
    side: GroupJoinSide,
    coder: Coder,
    consume: Consume,
  ): number {
    const { keys, aggregates, schema } = plan;
    // A key of the other side is equal to the one it is joined by.
    const ownKey = (key: string): string =>
      join[side].schema.has(key)
        ? key
        : (join.on.find(({ left, right }) => left === key || right === key)?.[side] ?? key);
    const kept = this.#build(join, side, new Set([...keys.map(ownKey), ...readBy(aggregates)]), true);
    const groups = new GroupJoinCode(this.#begun.memory(), plan, join);
    this.#begun.pipeline(`${join.label} and ${plan.label}`, own => {
      const task = this.#begun.task(plan, 'aggregate');
      own.within(task, () => groups.open(own, kept.buffer.rows(own)));
      const rows = this.#probe(join, kept, readBy(aggregates), own, 'inner', (row, column) => {
        own.within(task, () => {
          const scope = this.#expressions(own, column);
          groups.add(
            own,
            row,
            of => scope.value(of),
            value => this.#begun.keyOf(own, value, true),
          );
        });
      });
      this.#begun.entered(task, rows);
      own.within(task, () => groups.close(own));
    });
    const task = this.#begun.task(plan, 'read groups');
    return coder.within(task, () => {
      const { edge, passing } = this.#begun.counts.counted(coder);
      this.#rows(coder, groups.buffer.rows(coder), groups.order(coder), row => {
        groups.require(coder, row, 'continue');
        passing();
        consume(name =>
          coder.within(task, () =>
            coder.once(
              `${groups.buffer.name} ${name}`,
              () => groups.result(coder, name, row, schema) ?? kept.buffer.get(coder, ownKey(name), row),
            ),
          ),
        );
      });
      return edge;
    });
  }

  #orderBy(plan: PlanOf<'orderBy'>, needed: ReadonlySet<string>, coder: Coder, consume: Consume): number {
    const columns = both(needed, new Set(plan.by.map(({ column }) => column)));
    const buffer = this.#buffer(plan, columns);
    this.#begun.pipeline(plan.label, own => {
      const task = this.#begun.task(plan, 'keep');
      own.within(task, () => buffer.open(own));
      const rows = this.#produce(plan.input, columns, own, column =>
        own.within(task, () => buffer.append(own, column)),
      );
      this.#begun.entered(task, rows);
      own.within(task, () => buffer.close(own));
    });
    const sort = this.#begun.task(plan, 'sort');
    const order = coder.within(sort, () => coder.before(() => sortedPlaces(plan, buffer, coder)));
    return this.#read(this.#begun.task(plan, 'read sorted'), buffer, coder, consume, order);
  }
}

const number = (code: string): Value => ({
  type: 'number',
  code,
  isNull: undefined,
  texts: undefined,
  isListed: false,
});

const readBy = (aggregates: ReadonlyMap<string, Aggregate>): ReadonlySet<string> =>
  new Set([...aggregates.values()].flatMap(({ of }) => (of === undefined ? [] : [...columnsOf(of)])));

const both = (a: ReadonlySet<string>, b: ReadonlySet<string>): ReadonlySet<string> => new Set([...a, ...b]);
