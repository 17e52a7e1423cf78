import { fileURLToPath } from 'node:url';

/** Frames of this package are not the author's code. */
const PACKAGE = new URL('../../', import.meta.url).href;

/** `file:line` of the nearest caller outside this package, or undefined where the stack does not tell. */
export function callerLocation(): string | undefined {
  const stack = new Error().stack?.split('\n').slice(1) ?? [];
  for (const frame of stack) {
    const match = /(?:\(|at )((?:file:\/\/|\/|[A-Za-z]:\\)[^()]*?):(\d+):\d+\)?$/.exec(frame.trim());
    if (match === null || match[1] === undefined) continue;
    const url = match[1];
    if (url.startsWith(PACKAGE) || (PACKAGE.startsWith('file:') && url.startsWith(fileURLToPath(PACKAGE)))) continue;
    return `${url.startsWith('file:') ? fileURLToPath(url) : url}:${match[2]}`;
  }
  return undefined;
}
