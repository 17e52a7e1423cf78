import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { AUTHOR_FILE, ENGINE_FILES } from '../../../model/frame-names.ts';

/** Where our own modules lie: they are put together into few files, in which a comment stands before each. */
const OWN = new URL('../../../', import.meta.url).href;
const MODULE = /^\/\/ ([\w./-]+)\.js$/;

/** A lane that waits for its neighbours is asleep here. */
const WAITING = /\bAtomics\.wait\(/;

interface OwnFile {
  readonly modules: readonly { readonly line: number; readonly module: string }[];
  /** Lines in which a lane waits, from 1. */
  readonly waiting: ReadonlySet<number>;
}

/** Names the files of a profile by what they are: a module of ours, the author's, a package's. Folders of the machine stay out. */
export class FrameFiles {
  readonly #authorUrl: string;
  readonly #own = new Map<string, OwnFile>();

  constructor(authorUrl: string) {
    this.#authorUrl = authorUrl;
  }

  /** `line` is that at which the function begins, from 0. */
  nameOf(url: string, line: number): string {
    if (url === '' || url.startsWith('node:') || url.startsWith('venturi:')) return url;
    if (url === this.#authorUrl) return AUTHOR_FILE;
    if (url.startsWith(OWN)) return `${ENGINE_FILES}${this.#moduleAt(url, line)}`;
    const packaged = url.lastIndexOf('node_modules/');
    return packaged < 0 ? url.slice(url.lastIndexOf('/') + 1) : url.slice(packaged + 'node_modules/'.length);
  }

  /** A sample in `line` of a function in `url`, or in one that was compiled into it from the same file, is one of a lane that waits. */
  isWaiting(url: string, line: number): boolean {
    return url.startsWith(OWN) && this.#file(url).waiting.has(line);
  }

  #moduleAt(url: string, line: number): string {
    const start = this.#file(url).modules.findLast(each => each.line <= line);
    return start?.module ?? url.slice(OWN.length).replace(/\.[jt]s$/, '');
  }

  #file(url: string): OwnFile {
    let file = this.#own.get(url);
    if (file === undefined) {
      file = ownFile(url);
      this.#own.set(url, file);
    }
    return file;
  }
}

function ownFile(url: string): OwnFile {
  try {
    const lines = readFileSync(fileURLToPath(url), 'utf8').split('\n');
    const modules = lines.flatMap((text, line) => {
      const module = MODULE.exec(text)?.[1];
      return module === undefined ? [] : [{ line, module }];
    });
    return { modules, waiting: new Set(lines.flatMap((text, at) => (WAITING.test(text) ? [at + 1] : []))) };
  } catch {
    return { modules: [], waiting: new Set() };
  }
}
