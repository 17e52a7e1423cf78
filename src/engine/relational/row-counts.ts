import type { Coder } from './coder.ts';

/** Rows on their way from one operator to the next, counted by generated code. Each such way is an edge, with a place in the list `counts`, which adds up over all runs. */
export class RowCounts {
  readonly #isCounting: boolean;
  /** Operator → edges on which rows enter it; for a scan, on which they leave it. */
  readonly #entered = new Map<number, number[]>();
  #edges = 0;

  constructor(isCounting: boolean) {
    this.#isCounting = isCounting;
  }

  get edges(): number {
    return this.#edges;
  }

  entered(operator: number, edge: number): void {
    const known = this.#entered.get(operator) ?? [];
    known.push(edge);
    this.#entered.set(operator, known);
  }

  /** Reads `rows`, by edge, as rows by operator. */
  reader(rows: Float64Array, operators: number): () => readonly number[] {
    if (!this.#isCounting) return () => [];
    const edges = Array.from({ length: operators }, (_, operator) => this.#entered.get(operator) ?? []);
    return () => edges.map(own => own.reduce((sum, edge) => sum + (rows[edge] ?? 0), 0));
  }

  /** An edge whose rows are known without counting: `rows` is an expression that holds behind the loop. */
  known(coder: Coder, rows: string): number {
    const edge = this.#edges++;
    if (this.#isCounting) coder.behind(() => coder.line(`counts[${edge}] += ${rows};`));
    return edge;
  }

  /** An edge whose rows are counted where `passing` is called. */
  counted(coder: Coder): { readonly edge: number; readonly passing: () => void } {
    if (!this.#isCounting) return { edge: this.#edges++, passing: () => undefined };
    const rows = coder.name('rows');
    coder.before(() => coder.line(`let ${rows} = 0;`));
    const edge = this.known(coder, rows);
    return { edge, passing: () => coder.line(`${rows}++;`) };
  }
}
