import { expect, test } from 'vitest';
import { type Command, matching } from './commands.ts';

const named = (label: string): Command => ({ kind: 'operator', id: label, label });

test('commands are found by the letters of their names, the nearest first', () => {
  const commands = ['load', 'decode image', 'image decode', 'dice'].map(named);
  expect(matching(commands, 'dec').map(({ label }) => label)).toEqual(['decode image', 'image decode']);
  expect(matching(commands, 'dce').map(({ label }) => label)).toEqual(['decode image', 'image decode', 'dice']);
  expect(matching(commands, 'zzz')).toEqual([]);
  expect(matching(commands, ' ')).toHaveLength(4);
});
