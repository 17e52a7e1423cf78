import { CHAR } from './json-bytes.ts';

const PER_THOUSAND = 1000;

/**
 * A decimal number of microseconds in its two parts: a double holds the microseconds since 1970 exactly, and their thousandths, but not both in one
 * number (`1712195495519689.047` would lose its last digits).
 */
export class Decimal {
  /** Whole microseconds. */
  whole = 0;
  /** Nanoseconds beside them, of the same sign. */
  thousandths = 0;

  /** Reads the number in these bytes; false where it is none that can be held. */
  read(bytes: Uint8Array, start: number, end: number): boolean {
    let at = start;
    const sign = bytes[at] === CHAR.minus ? -1 : 1;
    if (sign < 0) at++;
    const firstDigit = at;
    let whole = 0;
    for (; at < end; at++) {
      const digit = (bytes[at] as number) - CHAR.zero;
      if (digit < 0 || digit > 9) break;
      whole = 10 * whole + digit;
    }
    if (at === firstDigit || whole > Number.MAX_SAFE_INTEGER) return false;
    let thousandths = 0;
    if (at < end && bytes[at] === CHAR.point) {
      at++;
      for (let scale = 100; at < end; at++, scale /= 10) {
        const digit = (bytes[at] as number) - CHAR.zero;
        if (digit < 0 || digit > 9) break;
        thousandths += digit * scale;
      }
      thousandths = Math.round(thousandths);
    }
    if (at < end) return this.#readExponent(bytes, start, end);
    this.whole = sign * whole;
    this.thousandths = sign * thousandths;
    return true;
  }

  /** A number with an exponent, to the precision of a double. */
  #readExponent(bytes: Uint8Array, start: number, end: number): boolean {
    const value = Number(String.fromCharCode(...bytes.subarray(start, Math.min(end, start + 64))));
    if (!(Math.abs(value) <= Number.MAX_SAFE_INTEGER)) return false;
    this.whole = Math.trunc(value);
    this.thousandths = Math.round((value - this.whole) * PER_THOUSAND);
    return true;
  }

  /** The number in thousandths, counted from `base` whole ones. */
  from(base: number): number {
    return (this.whole - base) * PER_THOUSAND + this.thousandths;
  }
}
