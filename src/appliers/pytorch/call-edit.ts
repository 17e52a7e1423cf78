import type { ArgumentChanges } from './constructor-rules.ts';
import { type LoaderCall, wayOf } from './loader-call.ts';
import type { Argument, PythonCall } from './python-call.ts';

/** A range of a source, and the text that replaces it. */
interface Splice {
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

/** Name of a loader's argument at the call; undefined where the call has no such argument. */
export type ArgumentName = (name: string) => string | undefined;
const AS_IT_IS: ArgumentName = name => name;

/**
 * A source with other arguments at the call that makes a loader. Undefined where that call cannot be edited safely: it hands
 * arguments through that may hold the ones in question, or nobody knows what it takes.
 */
export function editCall(
  source: string,
  maker: LoaderCall,
  changes: ArgumentChanges,
  nameOf: ArgumentName = AS_IT_IS,
): string | undefined {
  const edit = new CallDraft(source, maker);
  for (const [name, value] of Object.entries(changes.set)) {
    const called = nameOf(name);
    if (called === undefined || !edit.set(called, value)) return undefined;
  }
  for (const { name, neutral, had } of changes.drop) {
    const called = nameOf(name);
    if (called !== undefined && !edit.drop(called, neutral, had)) return undefined;
  }
  return edit.result();
}

class CallDraft {
  readonly #source: string;
  readonly #maker: LoaderCall;
  readonly #replaced = new Map<Argument, string>();
  readonly #removed = new Set<Argument>();
  readonly #added: string[] = [];
  /** Entries for the one dictionary that is handed through. */
  readonly #entries: string[] = [];

  constructor(source: string, maker: LoaderCall) {
    this.#source = source;
    this.#maker = maker;
  }

  /** Gives an argument; false where that cannot be done safely. */
  set(name: string, value: string): boolean {
    const way = wayOf(this.#maker, name);
    if (way.by === 'unknown') return false;
    if (way.by === 'options') this.#entries.push(`"${name}": ${value}`);
    else if (way.by !== 'nothing') this.#replaced.set(way.argument, value);
    else if (this.#accepts(name)) this.#added.push(`${name}=${value}`);
    else return false;
    return true;
  }

  /** Takes an argument away, or makes it as good as not given; false where that cannot be done safely. */
  drop(name: string, neutral: string, had: 'yes' | 'no' | 'unknown'): boolean {
    const way = wayOf(this.#maker, name);
    const { elsewhere } = this.#maker;
    if (way.by === 'name' && elsewhere !== undefined && !elsewhere.includes(name)) this.#removed.add(way.argument);
    else if (way.by === 'name' || way.by === 'position') this.#replaced.set(way.argument, neutral);
    else if (had === 'no') return true;
    else if (way.by === 'options') this.#entries.push(`"${name}": ${neutral}`);
    else if (way.by === 'unknown') return false;
    else if (elsewhere === undefined ? had === 'yes' : elsewhere.includes(name)) {
      if (!this.#accepts(name)) return false;
      this.#added.push(`${name}=${neutral}`);
    }
    return true;
  }

  result(): string {
    const { call } = this.#maker;
    const splices = [...this.#replaced].map(([{ to, value }, text]): Splice => ({ from: to - value.length, to, text }));
    const options = call.arguments.find(({ stars }) => stars === 2);
    if (options !== undefined && this.#entries.length > 0) {
      const { from, to, value } = options;
      const held = /^[\w.]+$/.test(value) ? value : `(${value})`;
      splices.push({ from, to, text: `**{**${held}, ${this.#entries.join(', ')}}` });
    }
    splices.push(...removals(this.#source, call, this.#removed), ...this.#additions());
    // From the back, so that offsets in front stay valid; text is added behind an argument before what follows it is removed.
    return splices
      .sort((a, b) => b.from - a.from || b.to - a.to)
      .reduce((text, { from, to, text: inserted }) => text.slice(0, from) + inserted + text.slice(to), this.#source);
  }

  #additions(): Splice[] {
    if (this.#added.length === 0) return [];
    const { call } = this.#maker;
    const last = call.arguments.filter(argument => !this.#removed.has(argument)).at(-1);
    if (last === undefined) return [{ from: call.open + 1, to: call.open + 1, text: this.#added.join(', ') }];
    const separator = last.before.includes('\n') ? `,${last.before}` : ', ';
    return [{ from: last.to, to: last.to, text: this.#added.map(text => separator + text).join('') }];
  }

  #accepts(name: string): boolean {
    return this.#maker.accepts?.includes(name) ?? true;
  }
}

/** Arguments taken away with the commas and the lines that were theirs. */
function removals(source: string, call: PythonCall, removed: ReadonlySet<Argument>): Splice[] {
  const last = call.arguments.at(-1);
  const kept = call.arguments.filter(argument => !removed.has(argument)).at(-1);
  const closing = last === undefined || commaAfter(source, last.to, call.close) !== undefined ? undefined : last;
  const isOneLine = closing !== undefined && kept !== undefined && !/[\n#]/.test(source.slice(kept.to, closing.to));
  return [...removed].map(argument => {
    if (isOneLine && argument.from > kept.to) {
      // Each takes away what stands between it and the one before, so that no comma is left at the end.
      const before = call.arguments[call.arguments.indexOf(argument) - 1] ?? kept;
      return { from: before.to, to: argument.to, text: '' };
    }
    const end = (commaAfter(source, argument.to, call.close) ?? argument.to - 1) + 1;
    const start = source.lastIndexOf('\n', argument.from) + 1;
    const rest = /^[^\S\n]*(?:#[^\n]*)?\n/.exec(source.slice(end))?.[0];
    if (rest !== undefined && source.slice(start, argument.from).trim() === '') {
      return { from: start, to: end + rest.length, text: '' };
    }
    return { from: argument.from, to: end + (/^[^\S\n]*/.exec(source.slice(end))?.[0].length ?? 0), text: '' };
  });
}

/** Where the comma behind an argument stands. */
function commaAfter(source: string, from: number, close: number): number | undefined {
  for (let at = from; at < close; at++) {
    if (source[at] === ',') return at;
    if (source[at] === '#') at = source.indexOf('\n', at);
    else if (/\S/.test(source[at] ?? '')) return undefined;
  }
  return undefined;
}
