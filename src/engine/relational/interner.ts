/** Texts of a query that are keys, each by a number of its own. */
export class Interner {
  readonly #places = new Map<string, number>();
  /** By place. */
  readonly texts: string[] = [];

  readonly place = (text: string): number => {
    const known = this.#places.get(text);
    if (known !== undefined) return known;
    this.#places.set(text, this.texts.length);
    return this.texts.push(text) - 1;
  };
}
