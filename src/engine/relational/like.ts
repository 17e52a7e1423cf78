/** JavaScript that says whether the text named `text` is like `pattern`. `input` gives the name of something from outside. */
export function likeTest(pattern: string, text: string, input: (value: RegExp) => string): string {
  const parts = pattern.split('%');
  const [first = '', second = ''] = parts;
  if (!pattern.includes('_')) {
    if (parts.length === 1) return `${text} === ${JSON.stringify(pattern)}`;
    if (parts.length === 2 && second === '') return `${text}.startsWith(${JSON.stringify(first)})`;
    if (parts.length === 2 && first === '') return `${text}.endsWith(${JSON.stringify(second)})`;
    if (parts.length === 3 && first === '' && parts[2] === '') return `${text}.includes(${JSON.stringify(second)})`;
  }
  return `${input(likePattern(pattern))}.test(${text})`;
}

/** The same as a regular expression. */
const likePattern = (pattern: string): RegExp =>
  new RegExp(
    `^${pattern
      .replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
      .replaceAll('%', '.*')
      .replaceAll('_', '.')}$`,
    'su',
  );
