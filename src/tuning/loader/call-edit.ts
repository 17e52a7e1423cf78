import type { LoaderChanges } from '../../model/loader-finding.ts';

/** An edit of a source text, as a unified diff has it: context and changed lines, each with its sign. */
export interface CallEdit {
  /** `@@ -12,4 +12,4 @@`, then the lines. */
  readonly diff: readonly string[];
}

const CONTEXT = 2;
/** Arguments of DataLoader that may stand without their name, in torch's order; the dataset is the first. */
const POSITIONAL = [
  'dataset',
  'batch_size',
  'shuffle',
  'sampler',
  'batch_sampler',
  'num_workers',
  'collate_fn',
  'pin_memory',
];

/**
 * The call of a loader that stands at `line` (from 1) with other arguments. Undefined where it cannot be edited safely: no
 * such call, arguments handed through (`**options`), or a setting that stands without its name.
 */
export function editCall(source: string, line: number, changes: LoaderChanges): CallEdit | undefined {
  const lines = source.split('\n');
  const start = lines.slice(0, line - 1).reduce((sum, text) => sum + text.length + 1, 0);
  const called = /[Ll]oader\w*\s*\(/.exec(source.slice(start, start + (lines[line - 1]?.length ?? 0)));
  if (called === null) return undefined;
  const open = start + called.index + called[0].length;
  const call = argumentsOf(source, open);
  if (call === undefined) return undefined;
  const edited = editArguments(source, call, changes);
  return edited === undefined || edited === source ? undefined : { diff: unifiedDiff(lines, edited.split('\n')) };
}

/** Its text without what stands around it, and the white space before it. */
interface Argument {
  readonly from: number;
  readonly to: number;
  readonly before: string;
}

/** Where each argument of a call lies, from the place behind its opening bracket; undefined where it does not end. */
function argumentsOf(
  source: string,
  open: number,
): { readonly arguments: readonly Argument[]; readonly close: number } | undefined {
  const found: Argument[] = [];
  let depth = 0;
  let begins = open;
  // First and last sign of the argument that are neither white space nor comment.
  let [first, last] = [-1, -1];
  for (let at = open; at < source.length; at++) {
    const sign = source[at] ?? '';
    if (depth === 0 && (sign === ',' || sign === ')')) {
      if (first >= 0) {
        const before = /\n?[^\S\n]*$/.exec(source.slice(begins, first))?.[0] ?? '';
        found.push({ from: first, to: last + 1, before });
      }
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
    if (sign === '"' || sign === "'") at = endOfString(source, at);
    else if ('([{'.includes(sign)) depth++;
    else if (')]}'.includes(sign)) depth--;
    last = at;
  }
  return undefined;
}

const endOfLine = (source: string, at: number): number => {
  const end = source.indexOf('\n', at);
  return end === -1 ? source.length : end;
};

function endOfString(source: string, at: number): number {
  const one = source[at] ?? '';
  const quote = source.startsWith(one.repeat(3), at) ? one.repeat(3) : one;
  for (let place = at + quote.length; place < source.length; place++) {
    if (source[place] === '\\') place++;
    else if (source.startsWith(quote, place)) return place + quote.length - 1;
  }
  return source.length;
}

const NAMED = /^(\w+)\s*=(?!=)\s*/;

function editArguments(
  source: string,
  call: { readonly arguments: readonly Argument[]; readonly close: number },
  changes: LoaderChanges,
): string | undefined {
  const texts = call.arguments.map(({ from, to }) => source.slice(from, to));
  if (texts.some(text => text.trim().startsWith('*'))) return undefined;
  const unnamed = texts.filter(text => !NAMED.test(text)).length;
  const wanted = Object.entries(changes).filter(([, value]) => value !== undefined);
  if (wanted.some(([name]) => POSITIONAL.indexOf(name) >= 0 && POSITIONAL.indexOf(name) < unnamed)) return undefined;
  let result = source;
  const added: string[] = [];
  // From the back, so that places in front stay where they are.
  const named = call.arguments.map((place, index) => ({ place, name: NAMED.exec(texts[index] ?? '')?.[1] }));
  const last = call.arguments.at(-1);
  for (const [name, value] of wanted)
    if (!named.some(each => each.name === name)) added.push(`${name}=${literal(value)}`);
  if (added.length > 0 && last !== undefined) {
    const separator = last.before.startsWith('\n') ? `,${last.before}` : ', ';
    result = `${result.slice(0, last.to)}${separator}${added.join(separator)}${result.slice(last.to)}`;
  }
  for (const { place, name } of [...named].reverse()) {
    const change = wanted.find(([wantedName]) => wantedName === name);
    if (change === undefined) continue;
    const head = NAMED.exec(source.slice(place.from, place.to))?.[0] ?? '';
    result = `${result.slice(0, place.from + head.length)}${literal(change[1])}${result.slice(place.to)}`;
  }
  return result;
}

const literal = (value: unknown): string => (value === true ? 'True' : value === false ? 'False' : String(value));

/** One hunk: what lies between the first and the last line that differ. */
function unifiedDiff(before: readonly string[], after: readonly string[]): string[] {
  let head = 0;
  while (before[head] === after[head]) head++;
  let tail = 0;
  while (tail < before.length - head && before.at(-1 - tail) === after.at(-1 - tail)) tail++;
  const from = Math.max(0, head - CONTEXT);
  const leading = before.slice(from, head);
  const trailing = before.slice(before.length - tail, before.length - tail + CONTEXT);
  const removed = before.slice(head, before.length - tail);
  const inserted = after.slice(head, after.length - tail);
  const around = leading.length + trailing.length;
  return [
    `@@ -${from + 1},${around + removed.length} +${from + 1},${around + inserted.length} @@`,
    ...leading.map(text => ` ${text}`),
    ...removed.map(text => `-${text}`),
    ...inserted.map(text => `+${text}`),
    ...trailing.map(text => ` ${text}`),
  ];
}

/** The same without a source: how the call reads, as far as its arguments are known. */
export function generalEdit(name: string, before: Readonly<Record<string, unknown>>, changes: LoaderChanges): CallEdit {
  const call = (values: Readonly<Record<string, unknown>>): string =>
    `${name} = DataLoader(..., ${Object.entries(values)
      .map(([key, value]) => `${key}=${literal(value)}`)
      .join(', ')})`;
  const known = Object.fromEntries(
    Object.keys(changes)
      .filter(key => before[key] !== undefined && before[key] !== null)
      .map(key => [key, before[key]]),
  );
  return { diff: [`-${call(known)}`, `+${call({ ...changes })}`] };
}
