/** Numbers of things, from 0 on, in the order in which their keys were met first. */
export class Numbering<T> {
  readonly list: T[] = [];
  readonly #numbers = new Map<string, number>();

  of(key: string, thing: T): number {
    const known = this.#numbers.get(key);
    if (known !== undefined) return known;
    this.#numbers.set(key, this.list.length);
    return this.list.push(thing) - 1;
  }
}
