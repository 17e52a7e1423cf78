import fc from 'fast-check';
import { col, lit, type Term, when } from '../expression.ts';
import type { JoinHow } from '../plan.ts';
import { avg, count, countDistinct, max, min, type Relation, scan, sum } from '../relation.ts';
import { type ColumnType, dictionaryOf, type Table, table } from '../table.ts';

const STEPS = [
  'filter',
  'filter',
  'join',
  'join',
  'join',
  'join',
  'groupBy',
  'groupBy',
  'project',
  'orderBy',
  'limit',
] as const;

interface Step {
  readonly kind: (typeof STEPS)[number];
  readonly picks: readonly number[];
}

/** Tables with a key that is unique and columns that are not; sums of their numbers are exact in any order. */
const tables = fc
  .array(
    fc.record({
      id: fc.nat(4),
      part: fc.constantFrom(-1, 0, 0.5, 2),
      text: fc.constantFrom('a', 'b', 'c'),
      none: fc.nat(2),
    }),
    { minLength: 2, maxLength: 9 },
  )
  .chain(rows =>
    fc
      .shuffledSubarray(
        Array.from(rows, (_, at) => at),
        { minLength: rows.length },
      )
      .map(keys =>
        table('t', {
          key: Int32Array.from(keys),
          id: Int32Array.from(rows, ({ id }) => id),
          part: Float64Array.from(rows, ({ part }) => part),
          maybe: {
            type: 'number',
            data: Int32Array.from(rows, ({ id }) => id * 2),
            nulls: Uint8Array.from(rows, ({ none }) => (none === 0 ? 1 : 0)),
          },
          text: dictionaryOf(rows.map(({ text }) => text)),
          flag: { type: 'boolean', data: Uint8Array.from(rows, ({ none }) => (none === 1 ? 1 : 0)) },
        }),
      ),
  );

const steps = (most: number): fc.Arbitrary<readonly Step[]> =>
  fc.array(
    fc.record({ kind: fc.constantFrom(...STEPS), picks: fc.array(fc.nat(60), { minLength: 6, maxLength: 6 }) }),
    {
      minLength: 1,
      maxLength: most,
    },
  );

/** Plans of any shape: joins of all kinds with what may itself be joined, grouped or limited. */
export const randomPlans: fc.Arbitrary<Relation> = fc
  .tuple(fc.array(tables, { minLength: 2, maxLength: 3 }), steps(6), fc.array(steps(2), { minLength: 1, maxLength: 4 }))
  .map(([own, main, sides]) => new PlanWriter(own, sides).relation(main));

class PlanWriter {
  readonly #tables: readonly Table[];
  readonly #sides: readonly (readonly Step[])[];
  #scans = 0;
  #names = 0;

  constructor(tables: readonly Table[], sides: readonly (readonly Step[])[]) {
    this.#tables = tables;
    this.#sides = sides;
  }

  #scan(at: number): Relation {
    return scan(picked(this.#tables, at), { prefix: `s${this.#scans++}_` });
  }

  relation(steps: readonly Step[], depth = 0): Relation {
    return steps.reduce((relation, step) => this.#step(relation, step, depth), this.#scan(steps[0]?.picks[5] ?? 0));
  }

  #step(relation: Relation, { kind, picks }: Step, depth: number): Relation {
    const [a = 0, b = 0, c = 0, d = 0] = picks;
    switch (kind) {
      case 'filter':
        return relation.filter(this.#condition(relation, picks), { name: `filter ${this.#names++}` });
      case 'join': {
        const side = depth > 1 ? [] : picked(this.#sides, a);
        const right = depth > 1 ? this.#scan(a) : this.relation(side, depth + 1);
        const pair = pairOf(relation, right, b);
        if (pair === undefined) return relation;
        const how = picked<JoinHow>(['inner', 'inner', 'inner', 'left', 'semi', 'anti'], c);
        const [ours, theirs] = [columns(relation, 'number'), columns(right, 'number')];
        const isExtra = d % 3 === 0 && ours.length > 0 && theirs.length > 0;
        const either = isExtra ? [col(picked(ours, d)), col(picked(theirs, a))] : [];
        // Of both sides, or of one of them alone.
        const extra = isExtra ? { condition: picked(either, b).le(picked([...either, lit(1)], d + b)) } : {};
        return relation.join(right, [pair], { how, name: `join ${this.#names++}`, ...extra });
      }
      case 'groupBy': {
        const all = [...relation.plan.schema.keys()];
        const likely = all.filter(name => name.endsWith('_key'));
        const keys = new Set([
          picked(likely.length === 0 || a % 3 === 0 ? all : likely, a),
          ...(b % 2 === 0 ? [picked(all, b)] : []),
        ]);
        return relation.groupBy(c % 5 === 0 ? [] : [...keys], this.#aggregates(relation, picks));
      }
      case 'project': {
        const [value, kept] = [
          this.#number(relation, a, b),
          [...relation.plan.schema.keys()].filter((_, at) => (at + c) % 4 > 0),
        ];
        return relation.project({
          ...Object.fromEntries(kept.map(name => [name, name])),
          [`p${this.#names++}`]: value,
        });
      }
      case 'orderBy': {
        const all = [...relation.plan.schema.keys()];
        return relation.orderBy(
          [...new Set([picked(all, a), picked(all, b)])].map(name => [name, c % 2 === 0 ? 'asc' : 'desc']),
        );
      }
      case 'limit':
        return relation.limit(a % 8);
    }
  }

  #aggregates(relation: Relation, [a = 0, b = 0, c = 0]: readonly number[]): Parameters<Relation['groupBy']>[1] {
    const names = columns(relation, 'number');
    const of = names.length === 0 ? lit(1) : col(picked(names, b));
    const any = col(picked([...relation.plan.schema.keys()], c));
    const kinds = [
      () => count(),
      () => count(any),
      () => sum(of),
      () => avg(of),
      () => min(of),
      () => max(any),
      () => countDistinct(any),
    ];
    return Object.fromEntries([a, b, a + c].map(at => [`g${this.#names++}`, picked(kinds, at)()]));
  }

  #condition(relation: Relation, [a = 0, b = 0, c = 0, d = 0]: readonly number[]): Term {
    const texts = columns(relation, 'string');
    const flags = columns(relation, 'boolean');
    const compared = this.#number(relation, b, c)[picked(['lt', 'ge', 'ne', 'eq'] as const, d)](
      this.#number(relation, c, d),
    );
    const kinds: Term[] = [
      compared,
      ...(texts.length > 0 ? [col(picked(texts, b)).in(['a', 'b']), col(picked(texts, b)).eq('c').not()] : []),
      ...(flags.length > 0 ? [col(picked(flags, b)), compared.and(col(picked(flags, c)))] : []),
      when(compared, true, false),
      // Where a row divides by zero it is an error, if it comes as far.
      lit(1)
        .over(this.#number(relation, d, a))
        .gt(0),
    ];
    return picked(kinds, a);
  }

  #number(relation: Relation, a: number, b: number): Term {
    const names = columns(relation, 'number');
    if (names.length === 0) return lit((a % 5) - 1);
    const own = col(picked(names, a));
    return picked([own, own, own.plus(1), lit((b % 5) - 1), own.minus(col(picked(names, b)))], b);
  }
}

const columns = ({ plan }: Relation, type: ColumnType): string[] =>
  [...plan.schema].filter(([, facts]) => facts.type === type).map(([name]) => name);

function picked<T>(list: readonly T[], at: number): T {
  const item = list[at % Math.max(1, list.length)];
  if (item === undefined) throw new Error('nothing to pick from');
  return item;
}

/** Keys are more often joined with keys. */
function pairOf(left: Relation, right: Relation, at: number): readonly [string, string] | undefined {
  const pairs = (['number', 'string', 'boolean'] as const).flatMap(type =>
    columns(left, type).flatMap(ours => columns(right, type).map(theirs => [ours, theirs] as const)),
  );
  const keys = pairs.filter(pair => pair.every(name => /_(key|id)$/.test(name)));
  const list = at % 4 > 0 && keys.length > 0 ? keys : pairs;
  return list.length === 0 ? undefined : picked(list, at >> 2);
}
