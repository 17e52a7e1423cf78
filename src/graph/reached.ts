/** What can be reached from some nodes of a graph, them left out. Each node is entered once, however many are added. */
export class Reached<T> {
  readonly #nextOf: (node: T) => readonly T[];
  readonly #found = new Set<T>();

  constructor(nextOf: (node: T) => readonly T[]) {
    this.#nextOf = nextOf;
  }

  add(from: T): void {
    const open = [...this.#nextOf(from)];
    for (let node = open.pop(); node !== undefined; node = open.pop()) {
      if (this.#found.has(node)) continue;
      this.#found.add(node);
      for (const next of this.#nextOf(node)) open.push(next);
    }
  }

  has(node: T): boolean {
    return this.#found.has(node);
  }
}
