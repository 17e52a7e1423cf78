import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { basename, delimiter, join } from 'node:path';
import { readText } from '../host/text-reader.ts';

/** What kept the probe out of a Python, by what its process shows. */
export type Hindrance =
  /** `-I`, `-E`, `-S`. */
  | { readonly type: 'option'; readonly option: string }
  /** Whoever started it gave it another environment. */
  | { readonly type: 'environment' }
  /** Whoever started it set PYTHONPATH anew. */
  | { readonly type: 'path'; readonly path: string | undefined }
  /** Another `sitecustomize` is found first. */
  | { readonly type: 'shadowed'; readonly file: string }
  /** Another user's: what it was given cannot be read. */
  | { readonly type: 'unreadable' };

/** A Python that the command started. */
export interface StartedPython {
  readonly pid: number;
  readonly command: readonly string[];
  /** Undefined where nothing is in the probe's way. */
  readonly hindrance: Hindrance | undefined;
}

/** A Python lives longer than this before it is of interest: torch alone takes more than a second to import. */
const LOOK_MS = 100;

/** Looks at the Pythons among the descendants of a process, for as long as nobody knows whether they are recorded. Linux only. */
export class StartedPythons {
  readonly #root: number;
  readonly #injected: string;
  readonly #seen = new Map<number, StartedPython>();
  readonly #timer: NodeJS.Timeout;

  /** `isOver` says that there is no question left. */
  constructor(root: number, injected: string, isOver: () => boolean) {
    this.#root = root;
    this.#injected = injected;
    this.#timer = setInterval(() => (isOver() ? this.stop() : this.#look()), LOOK_MS).unref();
  }

  get all(): readonly StartedPython[] {
    return [...this.#seen.values()];
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #look(): void {
    for (const pid of [this.#root, ...descendants(this.#root)]) {
      const python = startedPython(pid, this.#injected);
      // One process may become another program; what it is last is what it is.
      if (python !== undefined) this.#seen.set(pid, python);
    }
  }
}

/** The processes that a process started, and those that they did. */
export function descendants(pid: number): number[] {
  try {
    return readdirSync(`/proc/${pid}/task`).flatMap(thread =>
      readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8')
        .split(' ')
        .filter(child => child !== '')
        .flatMap(child => [Number(child), ...descendants(Number(child))]),
    );
  } catch {
    return [];
  }
}

/** Undefined for a process that is no Python, or is gone. */
export function startedPython(pid: number, injected: string): StartedPython | undefined {
  let command: string[];
  try {
    if (!isPython(readlinkSync(`/proc/${pid}/exe`))) return undefined;
    command = words(readFileSync(`/proc/${pid}/cmdline`, 'utf8'));
  } catch {
    return undefined;
  }
  const environment = readText(`/proc/${pid}/environ`);
  if (environment === undefined) return { pid, command, hindrance: { type: 'unreadable' } };
  return { pid, command, hindrance: hindranceOf(command, words(environment), injected) };
}

export const isPython = (file: string): boolean =>
  /^(?:python|pypy)[\d.]*t?$/.test(basename(file).replace(/ \(deleted\)$/, ''));

const words = (text: string): string[] => text.replace(/\0$/, '').split('\0');

export function hindranceOf(
  command: readonly string[],
  environment: readonly string[],
  injected: string,
): Hindrance | undefined {
  const option = isolatingOption(command.slice(1));
  if (option !== undefined) return { type: 'option', option };
  const value = (name: string): string | undefined =>
    environment.find(entry => entry.startsWith(`${name}=`))?.slice(name.length + 1);
  if (value('VENTURI_RUN') === undefined) return { type: 'environment' };
  const path = value('PYTHONPATH');
  const folders = path?.split(delimiter) ?? [];
  const at = folders.indexOf(injected);
  if (at === -1) return { type: 'path', path };
  const before = folders.slice(0, at).find(folder => existsSync(join(folder, 'sitecustomize.py')));
  return before === undefined ? undefined : { type: 'shadowed', file: join(before, 'sitecustomize.py') };
}

/** Options of Python stand before the script, several in one word: `-sE`. */
function isolatingOption(given: readonly string[]): string | undefined {
  for (let at = 0; at < given.length; at++) {
    const [, letters] = /^-([A-Za-z?]+)/.exec(given[at] ?? '') ?? [];
    if (letters === undefined) return undefined;
    for (const letter of letters) {
      if ('IES'.includes(letter)) return `-${letter}`;
      // The rest of the word, or else the next one, is its value.
      if ('cm'.includes(letter)) return undefined;
      if ('WX'.includes(letter)) {
        if (letters.endsWith(letter) && (given[at] ?? '').length === letters.length + 1) at++;
        break;
      }
    }
  }
  return undefined;
}
