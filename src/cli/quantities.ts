import { VenturiError } from '../model/errors.ts';

const SECONDS: Readonly<Record<string, number>> = {
  ns: 1e-9,
  us: 1e-6,
  µs: 1e-6,
  ms: 0.001,
  s: 1,
  m: 60,
  min: 60,
  h: 3600,
};

const BYTES: Readonly<Record<string, number>> = {
  b: 1,
  kb: 1e3,
  mb: 1e6,
  gb: 1e9,
  tb: 1e12,
  kib: 2 ** 10,
  mib: 2 ** 20,
  gib: 2 ** 30,
  tib: 2 ** 40,
};

/** Network links are sold in bits. */
const BYTES_AND_BITS: Readonly<Record<string, number>> = { ...BYTES, kbit: 125, mbit: 125e3, gbit: 125e6, tbit: 125e9 };

const THOUSANDS: Readonly<Record<string, number>> = { '': 1, k: 1e3, m: 1e6 };

/** A number with its unit; NaN for any other text. */
function quantity(text: string, units: Readonly<Record<string, number>>): number {
  const [, digits = 'NaN', unit = ''] = /^(\d+(?:\.\d+)?) ?([a-zµ]*)$/i.exec(text.trim()) ?? [];
  return Number(digits) * (units[unit.toLowerCase()] ?? Number.NaN);
}

const withoutPerSecond = (text: string): string => text.trim().replace(/\/s$/i, '');

/** `value`, the quantity of `text`, which must be a finite number above zero. */
function positive(value: number, option: string, text: string, noun: string, remedy: string): number {
  if (Number.isFinite(value) && value > 0) return value;
  throw new VenturiError('VENTURI_USAGE', `${option}: '${text}' is not ${noun}.`, { remedy });
}

/** A length of time, in seconds. */
export function parseDuration(option: string, text: string): number {
  const remedy = 'Write a number above zero with its unit ns, us, ms, s, m or h: 500ms, 10s, 2m, 1h.';
  return positive(quantity(text, SECONDS), option, text, 'a length of time', remedy);
}

/** A moment of a run, in seconds since its start; 0 is the start. */
export function parseMoment(option: string, text: string): number {
  return quantity(text, SECONDS) === 0 ? 0 : parseDuration(option, text);
}

/** A size, in whole bytes. */
export function parseSize(option: string, text: string): number {
  const remedy = 'Write a number above zero with its unit B, kB, MB, GB, TB or KiB, MiB, GiB, TiB: 64MB, 2GiB.';
  return Math.max(1, Math.round(positive(quantity(text, BYTES), option, text, 'a size', remedy)));
}

export function parseWhole(option: string, text: string, least: number): number {
  const value = /^\d+$/.test(text.trim()) ? Number(text) : Number.NaN;
  if (!Number.isSafeInteger(value) || value < least) {
    throw new VenturiError('VENTURI_USAGE', `${option}: '${text}' is not a whole number from ${least} up.`, {
      remedy: `Write it in digits: ${option} ${Math.max(least, 1)}.`,
    });
  }
  return value;
}

/** Cores, possibly a fraction of one. */
export function parseCores(text: string): number {
  const remedy = 'Write it in digits: --cores 16, or --cores 1.5 for a container quota.';
  return positive(quantity(text, { '': 1 }), '--cores', text, 'a number above zero', remedy);
}

/** Elements per second: `500/s`, `1.5k/s`. */
export function parseRate(option: string, text: string): number {
  const remedy = 'Write elements per second: 500/s, 1.5k/s.';
  return positive(quantity(withoutPerSecond(text), THOUSANDS), option, text, 'a rate', remedy);
}

/** Bytes per second: `500MB/s`, `10Gbit/s`. */
export function parseBandwidth(option: string, text: string): number {
  const remedy = 'Write a number above zero with its unit: 500MB/s, 2GB/s, 10Gbit/s.';
  return positive(quantity(withoutPerSecond(text), BYTES_AND_BITS), option, text, 'a bandwidth', remedy);
}
