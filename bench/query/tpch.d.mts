import type { Table } from '../../src/engine/relational/index.ts';

export function tpch(
  scale: number,
  seed?: number,
): Readonly<Record<string, Readonly<Record<string, readonly (number | string)[]>>>>;

export function relationalTables(data: ReturnType<typeof tpch>, relational: object): Readonly<Record<string, Table>>;
