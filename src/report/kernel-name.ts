/**
 * A kernel's name as people say it: without its parameters and template arguments, but with the function that an element-wise
 * kernel applies.
 */
export function kernelName(name: string): string {
  const short = withoutArguments(name);
  return short.length > MOST_LETTERS ? `${short.slice(0, MOST_LETTERS - 1)}…` : short;
}

/** More than any name has that is told from others by its end; nobody reads more of it in a sentence. */
const MOST_LETTERS = 120;

function withoutArguments(name: string): string {
  const plain = name.replace(/^void /, '').replaceAll('(anonymous namespace)::', '');
  const end = plain.search(/[<(]/);
  if (end <= 0 || !/[)>]$/.test(plain) || !/^[\w:~]+$/.test(plain.slice(0, end))) return plain;
  const [, applied] = /\b(\w*(?:Functor|Op)\w*)\b/.exec(plain.slice(end)) ?? [];
  return applied === undefined ? plain.slice(0, end) : `${plain.slice(0, end)}<${applied}>`;
}
