/** An argument of a call in Python source, without commas, comments and white space around it. */
export interface Argument {
  readonly from: number;
  readonly to: number;
  /** Undefined where it stands without its name. */
  readonly name: string | undefined;
  /** `*values` and `**options` hand arguments through. */
  readonly stars: 0 | 1 | 2;
  /** Its value, without the name and the stars. */
  readonly value: string;
  /** The white space before it. */
  readonly before: string;
}

/** A call in Python source: `torch.utils.data.DataLoader(data, num_workers=2)`. */
export interface PythonCall {
  /** `torch.utils.data.DataLoader`. */
  readonly callee: string;
  /** Offset of the callee. */
  readonly from: number;
  /** Offsets of its opening and its closing bracket. */
  readonly open: number;
  readonly close: number;
  readonly arguments: readonly Argument[];
}

const CALLEE = /(?<![\w.])(?:super\(\s*(?:\w+\s*,\s*\w+\s*)?\)\.)?[A-Za-z_]\w*(?:\s*\.\s*\w+)*\s*$/;
const KEYWORD = /^(?:and|assert|await|elif|else|for|if|in|is|lambda|not|or|return|while|with|yield)$/;
const NAMED = /^(\w+)\s*=(?!=)\s*/;

/** Calls whose opening bracket lies between two offsets, in the order of the source. */
export function callsBetween(source: string, from: number, to: number): PythonCall[] {
  const calls: PythonCall[] = [];
  for (let at = startOfLine(source, from); at < to; at++) {
    const sign = source[at] ?? '';
    if (sign === '#') at = endOfLine(source, at);
    else if (sign === '"' || sign === "'") at = endOfString(source, at);
    else if (sign === '(' && at >= from) {
      const call = callAt(source, at);
      if (call !== undefined) calls.push(call);
    }
  }
  return calls;
}

/** The calls on a line (from 1). */
export function callsOnLine(source: string, line: number): PythonCall[] {
  let start = 0;
  for (let number = 1; number < line; number++) {
    start = source.indexOf('\n', start) + 1;
    if (start === 0) return [];
  }
  return callsBetween(source, start, endOfLine(source, start));
}

/** The line (from 1) of an offset. */
export const lineOf = (source: string, at: number): number => source.slice(0, at).split('\n').length;

/** The call whose opening bracket stands here; undefined for a bracket that calls nothing, or does not end. */
export function callAt(source: string, open: number): PythonCall | undefined {
  const head = source.slice(Math.max(0, open - 400), open);
  const callee = CALLEE.exec(head)?.[0];
  if (callee === undefined || KEYWORD.test(callee.trim()) || isDefinition(head, callee)) return undefined;
  const found = argumentsFrom(source, open + 1);
  return (
    found && {
      callee: callee.replace(/\s+/g, ''),
      from: open - callee.length,
      open,
      close: found.close,
      arguments: found.arguments,
    }
  );
}

const isDefinition = (head: string, callee: string): boolean =>
  /(?:^|\s)(?:def|class)\s+$/.test(head.slice(0, head.length - callee.length));

/** Arguments of a call, from the offset behind its opening bracket; undefined where the call does not end. */
export function argumentsFrom(source: string, begin: number): Pick<PythonCall, 'arguments' | 'close'> | undefined {
  const found: Argument[] = [];
  let depth = 0;
  let begins = begin;
  // The parameters of a lambda have commas too.
  let inLambda = false;
  // First and last sign of the argument that are neither white space nor comment.
  let [first, last] = [-1, -1];
  for (let at = begin; at < source.length; at++) {
    const sign = source[at] ?? '';
    if (depth === 0 && ((sign === ',' && !inLambda) || sign === ')')) {
      if (first >= 0) found.push(argumentAt(source, begins, first, last + 1));
      if (sign === ')') return { arguments: found, close: at };
      begins = at + 1;
      [first, last] = [-1, -1];
      continue;
    }
    if (sign === '#') {
      at = endOfLine(source, at);
      continue;
    }
    if (/\s/.test(sign)) continue;
    if (first < 0) first = at;
    if (depth === 0 && sign === 'l' && /^lambda\b/.test(source.slice(at, at + 7)) && !/\w/.test(source[at - 1] ?? '')) {
      inLambda = true;
    } else if (depth === 0 && sign === ':') inLambda = false;
    if (sign === '"' || sign === "'") at = endOfString(source, at);
    else if ('([{'.includes(sign)) depth++;
    else if (')]}'.includes(sign)) depth--;
    last = at;
  }
  return undefined;
}

function argumentAt(source: string, begins: number, from: number, to: number): Argument {
  const text = source.slice(from, to);
  const named = NAMED.exec(text);
  const stars = named === null ? (/^\*{0,2}/.exec(text)?.[0].length as 0 | 1 | 2) : 0;
  const before = /(?:\r?\n)?[^\S\n]*$/.exec(source.slice(begins, from))?.[0] ?? '';
  return { from, to, name: named?.[1], stars, value: text.slice(named?.[0].length ?? stars).trim(), before };
}

const startOfLine = (source: string, at: number): number => source.lastIndexOf('\n', at - 1) + 1;

function endOfLine(source: string, at: number): number {
  const end = source.indexOf('\n', at);
  return end === -1 ? source.length : end;
}

function endOfString(source: string, at: number): number {
  const one = source[at] ?? '';
  const quote = source.startsWith(one.repeat(3), at) ? one.repeat(3) : one;
  for (let end = at + quote.length; end < source.length; end++) {
    if (source[end] === '\\') end++;
    else if (source.startsWith(quote, end)) return end + quote.length - 1;
  }
  return source.length;
}
