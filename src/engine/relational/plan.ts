import type { CallPlace } from '../compile/call-place.ts';
import type { ColumnType, Table } from './table.ts';

export type Arithmetic = '+' | '-' | '*' | '/';
export type Comparison = '=' | '<>' | '<' | '<=' | '>' | '>=';
export type DatePart = 'year' | 'month' | 'day';
export type Constant = number | string | boolean;

/** An expression over the columns of a relation, as data. */
export type Expression =
  | { readonly kind: 'column'; readonly name: string }
  | { readonly kind: 'constant'; readonly type: ColumnType; readonly value: Constant }
  | {
      readonly kind: 'arithmetic';
      readonly operator: Arithmetic;
      readonly left: Expression;
      readonly right: Expression;
    }
  | {
      readonly kind: 'comparison';
      readonly operator: Comparison;
      readonly left: Expression;
      readonly right: Expression;
    }
  | { readonly kind: 'and' | 'or'; readonly left: Expression; readonly right: Expression }
  | { readonly kind: 'not' | 'isNull'; readonly of: Expression }
  | { readonly kind: 'case'; readonly when: Expression; readonly value: Expression; readonly otherwise: Expression }
  | { readonly kind: 'like'; readonly of: Expression; readonly pattern: string }
  | { readonly kind: 'in'; readonly of: Expression; readonly values: readonly (number | string)[] }
  | { readonly kind: 'extract'; readonly part: DatePart; readonly of: Expression }
  | { readonly kind: 'substring'; readonly of: Expression; readonly from: number; readonly length: number }
  | { readonly kind: 'scalar'; readonly plan: Plan };

/** The side of a join that is kept, each of its rows a group. */
export type GroupJoinSide = 'left' | 'right';

export type JoinHow = 'inner' | 'left' | 'semi' | 'anti';

/** What a group's rows come to. */
export type Aggregate =
  | { readonly kind: 'count'; readonly of?: Expression }
  | { readonly kind: 'sum' | 'avg' | 'min' | 'max' | 'countDistinct'; readonly of: Expression };

/** What is known of a column before anything runs. */
export interface ColumnFacts {
  readonly type: ColumnType;
  readonly nullable: boolean;
  /** Its texts, where its values are places in this list. */
  readonly dictionary: readonly string[] | undefined;
  /** Its numbers are whole ones of 32 bits. */
  readonly isWhole: boolean;
}

export const NUMBER: ColumnFacts = { type: 'number', nullable: false, dictionary: undefined, isWhole: false };

export type Schema = ReadonlyMap<string, ColumnFacts>;

interface Common {
  /** What it gives. */
  readonly schema: Schema;
  /** What to call it in profiles. */
  readonly label: string;
  /** Where it was written. */
  readonly at?: CallPlace;
  /** The operator as it was written, where an optimiser has moved or changed it: profiles know one operator, wherever its parts went. */
  readonly origin?: Plan;
}

/** A dataflow of relational operators: each gives rows to the one that holds it. */
export type Plan = Common &
  (
    | { readonly kind: 'scan'; readonly table: Table; readonly prefix: string }
    | { readonly kind: 'filter'; readonly input: Plan; readonly condition: Expression }
    | { readonly kind: 'project'; readonly input: Plan; readonly columns: ReadonlyMap<string, Expression> }
    | {
        readonly kind: 'join';
        readonly how: JoinHow;
        /** Passes by; in its order rows leave. */
        readonly left: Plan;
        /** Is kept in a hash table. */
        readonly right: Plan;
        readonly on: readonly { readonly left: string; readonly right: string }[];
        /** Holds for a pair that matches, besides. */
        readonly condition: Expression | undefined;
      }
    | {
        readonly kind: 'groupBy';
        readonly input: Plan;
        readonly keys: readonly string[];
        readonly aggregates: ReadonlyMap<string, Aggregate>;
        /** Groups are rows of this side of the join below, whose hash table holds their aggregates too; undefined: groups have a table of their own. */
        readonly groupJoin?: GroupJoinSide;
      }
    | {
        readonly kind: 'orderBy';
        readonly input: Plan;
        readonly by: readonly { readonly column: string; readonly descending: boolean }[];
      }
    | { readonly kind: 'limit'; readonly input: Plan; readonly count: number }
  );
export type PlanOf<K extends Plan['kind']> = Extract<Plan, { readonly kind: K }>;
