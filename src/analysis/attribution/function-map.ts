import { entryOf } from '../../math/groups.ts';
import { ratio } from '../../math/ratio.ts';
import { sumOf } from '../../math/totals.ts';
import { type FunctionTable, ticksOf } from '../../model/function-table.ts';

/** Hits of a native function inside an operator. */
export interface FunctionUse {
  readonly symbol: string;
  readonly module: string;
  /** Undefined where it served none. */
  readonly operator: string | undefined;
  readonly hits: number;
}

/** How a shared function's totals are split: by the samples of a recording, or by elapsed time (Lotus §IV-B). */
export type SplitRule = 'samples' | 'elapsed';

export interface MappedFunction {
  readonly symbol: string;
  readonly module: string;
  /** The operators it serves, each with its share. The shares sum to 1, or to less where it also serves other code. */
  readonly owners: readonly { readonly operator: string; readonly part: number; readonly hits: number }[];
}

/** Native functions and the operators they serve. */
export class FunctionMap {
  readonly functions: readonly MappedFunction[];
  readonly #bySymbol = new Map<string, MappedFunction>();

  /** `elapsed`: ns per operator, for the rule that needs them. */
  constructor(uses: readonly FunctionUse[], rule: SplitRule, elapsed: ReadonlyMap<string, number>) {
    const gathered = new Map<string, { symbol: string; module: string; hits: Map<string | undefined, number> }>();
    for (const { symbol, module, operator, hits } of uses) {
      const entry = entryOf(gathered, keyOf(symbol, module), () => ({ symbol, module, hits: new Map() }));
      entry.hits.set(operator, (entry.hits.get(operator) ?? 0) + hits);
    }
    this.functions = [...gathered.values()].flatMap(({ symbol, module, hits }) => {
      const weights = [...hits].flatMap(([operator, count]) => {
        if (operator === undefined) return [];
        return [{ operator, hits: count, weight: rule === 'samples' ? count : (elapsed.get(operator) ?? 0) }];
      });
      if (weights.length === 0) return [];
      const outside = rule === 'samples' ? (hits.get(undefined) ?? 0) : 0;
      const whole = weights.reduce((sum, { weight }) => sum + weight, outside);
      // Where nothing is known of their times, they share it evenly.
      const part = (weight: number): number => (whole > 0 ? weight / whole : 1 / weights.length);
      const owners = weights.map(({ operator, weight, hits }) => ({ operator, part: part(weight), hits }));
      return [{ symbol, module, owners }];
    });
    for (const entry of this.functions) {
      this.#bySymbol.set(keyOf(entry.symbol, entry.module), entry);
      // A name identifies a function where its file is unknown; nameless code needs its file.
      const name = keyOf(entry.symbol, '');
      if (!isNameless(entry.symbol) && !this.#bySymbol.has(name)) this.#bySymbol.set(name, entry);
    }
  }

  /** Nameless code has the owners of the nameless code of its file. */
  find(symbol: string, module: string): MappedFunction | undefined {
    return (
      this.#bySymbol.get(keyOf(symbol, module)) ??
      (isNameless(symbol) ? undefined : this.#bySymbol.get(keyOf(symbol, '')))
    );
  }
}

const isNameless = (symbol: string): boolean => /^\[.*\]$|^func@0x|^0x[0-9a-f]+$|!0x/i.test(symbol.trim());

/** One name for what profilers write differently: `f(int)`, `f.constprop.0`, `f@@GLIBC_2.2`. */
function keyOf(symbol: string, module: string): string {
  if (isNameless(symbol)) return `[unknown]\0${module}`;
  const bare = symbol
    .trim()
    .replace(/@@?[A-Z][\w.]*$|@plt$/, '')
    .replace(/(?:\.(?:isra|constprop|part|cold|lto_priv)(?:\.\d+)?)+$/, '')
    .replace(/(?<=[\w>~])\([^<>]*\)(?: const)?$/, '');
  return `${bare}\0${module}`;
}

/** A table of functions as a table of operators. */
export interface OperatorTotals {
  readonly operator: string;
  /** One for each metric of the table. */
  readonly values: readonly number[];
}

export interface MappedTable {
  readonly operators: readonly OperatorTotals[];
  /** Shares of clock ticks (else of CPU time, else of the first total) in operators, in shared functions, and in none. */
  readonly mapped: number;
  readonly shared: number;
  /** The heaviest functions that serve no operator. */
  readonly unmapped: readonly { readonly symbol: string; readonly module: string; readonly part: number }[];
}

/** Totals are divided by each operator's part; ratios are weighed by the clock ticks behind them. */
export function mapTable(table: FunctionTable, map: FunctionMap): MappedTable {
  const ticks = ticksOf(table) ?? table.metrics.findIndex(({ kind }) => kind === 'total');
  const weightOf = (values: readonly number[]): number => finite(ticks < 0 ? 1 : values[ticks]);
  const operators = new Map<string, { sums: number[]; weights: number[] }>();
  let [whole, mapped, shared] = [0, 0, 0];
  const unmapped: { symbol: string; module: string; part: number }[] = [];
  for (const { symbol, module, values } of table.rows) {
    const weight = weightOf(values);
    whole += weight;
    const found = map.find(symbol, module);
    if (found === undefined) {
      unmapped.push({ symbol, module, part: weight });
      continue;
    }
    const served = sumOf(found.owners, ({ part }) => part);
    mapped += weight * served;
    if (found.owners.length > 1) shared += weight * served;
    if (served < 1 - 1e-9) unmapped.push({ symbol, module, part: weight * (1 - served) });
    for (const { operator, part } of found.owners) {
      const zeros = (): number[] => table.metrics.map(() => 0);
      const entry = entryOf(operators, operator, () => ({ sums: zeros(), weights: zeros() }));
      for (const [at, { kind }] of table.metrics.entries()) {
        const value = values[at] ?? Number.NaN;
        if (Number.isNaN(value)) continue;
        const by = kind === 'ratio' ? weight * part : part;
        entry.sums[at] = (entry.sums[at] ?? 0) + value * by;
        entry.weights[at] = (entry.weights[at] ?? 0) + by;
      }
    }
  }
  const part = (weight: number): number => ratio(weight, whole);
  return {
    operators: [...operators].map(([operator, { sums, weights }]) => ({
      operator,
      values: table.metrics.map(({ kind }, at) =>
        kind === 'total' ? (sums[at] ?? 0) : (sums[at] ?? 0) / (weights[at] ?? 0),
      ),
    })),
    mapped: part(mapped),
    shared: part(shared),
    unmapped: unmapped
      .sort((a, b) => b.part - a.part)
      .map(({ part: weight, ...rest }) => ({ ...rest, part: part(weight) })),
  };
}

const finite = (value: number | undefined): number => (value !== undefined && Number.isFinite(value) ? value : 0);
