import { describe, expect, it } from 'vitest';
import { generatedLines, generatedLinesFact, ownerOfLine } from './generated-lines.ts';
import { parseGeneratedLines } from './read-generated-lines.ts';

const owners = [undefined, undefined, 'a', 'a', undefined, 'b', 'a', 'a'];

describe('the lines of a generated loop', () => {
  it('are written as stretches of one owner', () => {
    expect(generatedLines('venturi:a.0', owners)).toEqual({
      file: 'venturi:a.0',
      operators: ['a', 'b'],
      lines: [
        [2, 3, 0],
        [5, 5, 1],
        [6, 7, 0],
      ],
    });
  });

  it('come back with their owners', () => {
    const read = parseGeneratedLines(generatedLinesFact(generatedLines('venturi:a.0', owners)) ?? '');
    expect(owners.map((_, line) => read && ownerOfLine(read, line))).toEqual(owners);
  });

  it('are left out where they would fill a lane', () => {
    const many = Array.from({ length: 5000 }, (_, line) => `operator ${line % 7}`);
    expect(generatedLinesFact(generatedLines('venturi:a.0', many))).toBeUndefined();
  });

  it('are not read from other facts', () => {
    for (const json of ['{"loader":"train"}', '<argument-1>', '{"generated":{"file":"x"}}', '{}']) {
      expect(parseGeneratedLines(json)).toBeUndefined();
    }
  });
});
