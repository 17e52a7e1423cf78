export { type ArrowTable, type ArrowVector, arrowTable } from './arrow-table.ts';
export { col, date, lit, type Operand, scalar, Term, when } from './expression.ts';
export type { Change } from './optimiser/changes.ts';
export type { Aggregate, ColumnFacts, Expression, JoinHow, Plan } from './plan.ts';
export { Query, type QueryOptions, type Row } from './query.ts';
export {
  avg,
  count,
  countDistinct,
  max,
  min,
  type OrderBy,
  Relation,
  type RelationOptions,
  scan,
  sum,
} from './relation.ts';
export {
  type Column,
  type ColumnData,
  type ColumnType,
  dateOf,
  dayOf,
  dictionaryOf,
  type NumberArray,
  type Table,
  table,
} from './table.ts';
export { tableOf } from './table-rows.ts';
export type { TaggedOperator, TaggingDictionary, Task } from './tagging-dictionary.ts';
