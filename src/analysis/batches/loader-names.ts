import { type LoaderFact, parseFact } from '../../model/loader-facts.ts';

/**
 * Names of loaders in a run of several processes, each of which names its own. Loaders with the same key are the same, as in
 * the ranks of a training; loaders with different keys are not, as in two programs that a script starts.
 */
export class LoaderNames {
  readonly #ofKeys = new Map<string, string>();
  readonly #ofProcesses = new Map<string, string>();
  readonly #taken = new Set<string>();
  #subjects = 0;

  /** Learns from the subjects of a run that it has not seen: a fold that is about names alone needs nothing else of them. */
  learnFrom(subjects: readonly string[]): void {
    for (; this.#subjects < subjects.length; this.#subjects++) {
      const fact = parseFact(subjects[this.#subjects] ?? '');
      if (fact !== undefined && 'loader' in fact) this.learn(fact);
    }
  }

  /** The name of the loader that a fact is about. */
  learn({ loader, key, pid }: LoaderFact): string {
    // Recordings before 0.2 have the name alone.
    if (typeof key !== 'string' || typeof pid !== 'number') return loader;
    const name = this.#ofKeys.get(key) ?? this.#free(loader);
    this.#ofKeys.set(key, name);
    this.#taken.add(name);
    this.#ofProcesses.set(`${pid}:${loader}`, name);
    return name;
  }

  of(pid: number, loader: string): string {
    return this.#ofProcesses.get(`${pid}:${loader}`) ?? loader;
  }

  #free(loader: string): string {
    let name = loader;
    for (let number = 2; this.#taken.has(name); number++) name = `${loader} ${number}`;
    return name;
  }
}
