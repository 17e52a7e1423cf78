import { Listing } from '../compile/listing.ts';

/** The final code of a query, with the numbers of the written lines that each of its lines comes from. */
export class TaggedListing {
  readonly #listing = new Listing();
  readonly #origins: (readonly number[])[] = [];

  /** Without `from` a line is the engine's own. */
  add(text: string, from: readonly number[] = []): void {
    this.#listing.add(text);
    this.#origins.push(from);
  }

  get text(): string {
    return this.#listing.text;
  }

  /** By line, the first being 0. */
  get origins(): readonly (readonly number[])[] {
    return this.#origins;
  }
}
