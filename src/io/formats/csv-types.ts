export type CsvValue = string | number | boolean | undefined;
export type ColumnType = 'text' | 'number' | 'boolean';

/** Numbers as programs write them. 007 is a code, not a number. */
const NUMBER = /^[+-]?(?:(?:0|[1-9]\d*)(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/;
const WHOLE = /^[+-]?\d+$/;
const TRUE = /^true$/i;
const FALSE = /^false$/i;

/** The narrowest type that holds every value of a column. Empty fields fit any; a column of nothing else is text. */
export function guessType(values: readonly string[]): ColumnType {
  const given = values.filter(value => value !== '');
  if (given.length === 0) return 'text';
  for (const type of ['number', 'boolean'] as const) {
    if (given.every(value => converted(type, value) !== undefined)) return type;
  }
  return 'text';
}

/** undefined: empty or not of that type. */
export function converted(type: ColumnType, text: string): CsvValue {
  if (type === 'text') return text;
  if (type === 'boolean') return TRUE.test(text) ? true : FALSE.test(text) ? false : undefined;
  if (!NUMBER.test(text)) return undefined;
  const number = Number(text);
  // A long identifier would come out as another.
  return Number.isSafeInteger(number) || !WHOLE.test(text) ? number : undefined;
}
