import type { Relation, Table } from '../../src/engine/relational/index.ts';

export function queriesOf(
  tables: Readonly<Record<string, Table>>,
  scale: number,
  relational: object,
): Readonly<Record<string, () => Relation>>;
