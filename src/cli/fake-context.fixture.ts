import type { Context } from './context.ts';
import type { Output } from './terminal.ts';

/** A terminal that remembers, a clock that stands still, and signals sent by hand. */
export class FakeContext implements Context {
  stdout = '';
  stderr = '';
  moment = 0;
  readonly left: number[] = [];
  ask: Context['ask'];
  readonly #listeners = new Map<string, Set<() => void>>();
  readonly #tidy = new Set<() => void>();
  readonly terminal;
  readonly signals = {
    on: (signal: string, listener: () => void) => this.#of(signal).add(listener),
    off: (signal: string, listener: () => void) => this.#of(signal).delete(listener),
  };

  constructor(options: { readonly isLive?: boolean; readonly width?: number } = {}) {
    const output = (write: (text: string) => void): Output => ({
      isLive: options.isLive ?? false,
      width: () => options.width ?? 80,
      height: () => 24,
      write,
      colour: (_, text) => text,
    });
    this.terminal = {
      out: output(text => {
        this.stdout += text;
      }),
      err: output(text => {
        this.stderr += text;
      }),
      charset: 'unicode' as const,
    };
  }

  now(): number {
    return this.moment;
  }

  leave(code: number): void {
    this.left.push(code);
    for (const tidy of this.#tidy) tidy();
  }

  atExit(tidy: () => void): () => void {
    this.#tidy.add(tidy);
    return () => this.#tidy.delete(tidy);
  }

  send(signal: 'SIGINT' | 'SIGTERM'): void {
    for (const listener of this.#of(signal)) listener();
  }

  get listeners(): number {
    return [...this.#listeners.values()].reduce((sum, set) => sum + set.size, 0);
  }

  #of(signal: string): Set<() => void> {
    const set = this.#listeners.get(signal) ?? new Set();
    this.#listeners.set(signal, set);
    return set;
  }
}
