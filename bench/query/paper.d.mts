import type { Relation, Table } from '../../src/engine/relational/index.ts';

export function salesTables(sales: number, products: number, relational: object): Readonly<Record<string, Table>>;

export function paperQueries(
  tables: Readonly<Record<string, Table>>,
  relational: object,
): Readonly<Record<'fig3' | 'fig9' | 'fig10a' | 'fig10b', () => Relation>>;
