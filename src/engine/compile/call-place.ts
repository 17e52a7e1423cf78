import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Frames of this package are not the author's code. */
const PACKAGE = new URL('../../', import.meta.url).href;
const FRAME = /(?:\(|at )((?:file:\/\/|\/|[A-Za-z]:\\)[^()]*?):(\d+):\d+\)?$/;

/**
 * Where the author has called a method of ours: the nearest caller outside this package. V8 notes the frames at once, and makes a text of them when somebody asks, which not
 * every run does.
 */
export class CallPlace {
  /** Made by V8. */
  declare readonly stack: string;

  constructor() {
    Error.captureStackTrace(this, CallPlace);
  }

  /** `/home/me/orders.ts:12`; undefined where the stack does not tell. */
  get location(): string | undefined {
    for (const frame of this.stack.split('\n')) {
      const [, url, line] = FRAME.exec(frame.trim()) ?? [];
      if (url === undefined || isOurs(url)) continue;
      return `${url.startsWith('file:') ? fileURLToPath(url) : url}:${line}`;
    }
    return undefined;
  }

  /** Without its folders: `orders.ts:12`. */
  get text(): string | undefined {
    const { location } = this;
    return location === undefined ? undefined : basename(location);
  }
}

const isOurs = (url: string): boolean =>
  url.startsWith(PACKAGE) || (PACKAGE.startsWith('file:') && url.startsWith(fileURLToPath(PACKAGE)));
