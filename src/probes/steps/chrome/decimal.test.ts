import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Decimal } from './decimal.ts';

it('holds every microsecond with its thousandths', () => {
  fc.assert(
    fc.property(fc.maxSafeNat(), fc.nat(999), fc.boolean(), (whole, thousandths, isNegative) => {
      const text = `${isNegative ? '-' : ''}${whole}.${String(thousandths).padStart(3, '0')}`;
      const bytes = new TextEncoder().encode(`"${text}"`);
      const decimal = new Decimal();
      expect(decimal.read(bytes, 1, bytes.length - 1)).toBe(true);
      const read = BigInt(decimal.whole) * 1000n + BigInt(decimal.thousandths);
      expect(read).toBe((BigInt(whole) * 1000n + BigInt(thousandths)) * (isNegative ? -1n : 1n));
    }),
  );
});
