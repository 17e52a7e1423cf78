import { plainText } from './plain-text.ts';

/** A word ready to paste into a shell. */
export const shellWord = (text: string): string =>
  /^[\w./@%+=:,-]+$/.test(text) ? text : `'${plainText(text).replaceAll("'", `'\\''`)}'`;
