import { describe, expect, it } from 'vitest';
import { completeParameters } from './parameters.ts';

const SPEC = { folder: String, size: 224, fast: false, label: 'a', limit: Number, dry: Boolean } as const;
const needed = { folder: 'images', limit: 3, dry: true };

describe('parameters', () => {
  it('are completed by their defaults', () => {
    expect(completeParameters(SPEC, needed)).toEqual({ ...needed, size: 224, fast: false, label: 'a' });
  });

  it.each([
    ['size', '32', 32],
    ['size', '1_000', 1000],
    ['size', '1e3', 1000],
    ['size', '-0.5', -0.5],
    ['fast', 'true', true],
    ['fast', '0', false],
    ['label', '32', '32'],
    ['label', '', ''],
    ['folder', 'true', 'true'],
  ])('may be given as text: %s=%s', (name, text, value) => {
    expect(completeParameters(SPEC, { ...needed, [name]: text })[name]).toBe(value);
  });

  it.each([
    ['size', 'large', "parameter 'size' is 'large', which is not a number"],
    ['size', '', "parameter 'size' is '', which is not a number"],
    ['size', true, "parameter 'size' is true, which is not a number"],
    ['size', Number.NaN, "parameter 'size' is NaN, which is not a number"],
    ['fast', 'yes', "parameter 'fast' is 'yes', which is not a boolean"],
    ['label', 3, "parameter 'label' is 3, which is not a string"],
    ['limit', undefined, "parameter 'limit' must be given"],
    ['tostring', 1, "no parameter 'tostring'"],
    ['toString', 1, "no parameter 'toString'"],
  ])('of another type, missing or unknown are refused: %s=%s', (name, value, message) => {
    expect(() => completeParameters(SPEC, { ...needed, [name]: value })).toThrow(
      expect.objectContaining({ code: 'VENTURI_BAD_PARAMETER', message: expect.stringContaining(message) }),
    );
  });
});
