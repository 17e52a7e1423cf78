/**
 * Generated source, one statement per line, with the owner of each line logged while it is written. That log is the
 * tagging dictionary of Tailored Profiling §4.2: from a line in a stack trace or a profile back to an operator.
 */
export class Listing {
  readonly #lines: string[] = [];
  readonly #owners: (number | undefined)[] = [];
  #depth = 0;

  /** `owner`: position of the operator in its segment; undefined for the engine's own lines. */
  add(text: string, owner?: number): void {
    if (text.startsWith('}')) this.#depth--;
    this.#lines.push('  '.repeat(Math.max(0, this.#depth)) + text);
    this.#owners.push(owner);
    if (text.endsWith('{')) this.#depth++;
  }

  get text(): string {
    return this.#lines.join('\n');
  }

  /** Owners by line, the first line being 1. */
  owners(): readonly (number | undefined)[] {
    return [undefined, ...this.#owners];
  }
}
