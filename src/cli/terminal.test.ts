import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { openTerminal } from './terminal.ts';

function stream(properties: { readonly isTTY?: boolean; readonly columns?: number } = {}): NodeJS.WriteStream {
  return Object.assign(new PassThrough(), properties) as unknown as NodeJS.WriteStream;
}

test('width: the terminal’s, else COLUMNS, else a hundred', () => {
  const width = (columns: number | undefined, env: Record<string, string>): number =>
    openTerminal(stream(columns === undefined ? {} : { columns }), stream(), env).out.width();
  expect(width(132, { COLUMNS: '60' })).toBe(132);
  expect(width(undefined, { COLUMNS: '60' })).toBe(60);
  expect(width(undefined, {})).toBe(100);
});

test('only a terminal that can move its cursor is live', () => {
  const isLive = (isTTY: boolean, TERM: string): boolean =>
    openTerminal(stream(), stream({ isTTY }), { TERM }).err.isLive;
  expect(isLive(true, 'xterm')).toBe(true);
  expect(isLive(true, 'dumb')).toBe(false);
  expect(isLive(false, 'xterm')).toBe(false);
});

test('ASCII where a terminal’s locale has no UTF-8; a pipe gets the bytes as they are', () => {
  const charset = (isTTY: boolean, LANG: string): string => openTerminal(stream({ isTTY }), stream(), { LANG }).charset;
  expect(charset(true, 'C')).toBe('ascii');
  expect(charset(true, 'de_DE.UTF-8')).toBe('unicode');
  expect(charset(true, '')).toBe('unicode');
  expect(charset(false, 'C')).toBe('unicode');
});
