import { VenturiError } from '../model/errors.ts';

const SECONDS: Readonly<Record<string, number>> = { ms: 0.001, s: 1, m: 60, min: 60, h: 3600 };

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

function parseQuantity(
  option: string,
  text: string,
  units: Readonly<Record<string, number>>,
  noun: string,
  remedy: string,
): number {
  const [, digits = '', unit = ''] = /^(\d+(?:\.\d+)?) ?([a-z]+)$/i.exec(text.trim()) ?? [];
  const value = Number(digits) * (units[unit.toLowerCase()] ?? Number.NaN);
  if (digits === '' || !Number.isFinite(value) || value <= 0) {
    throw new VenturiError('VENTURI_USAGE', `${option}: '${text}' is not ${noun}.`, { remedy });
  }
  return value;
}

/** A length of time, in seconds. */
export function parseDuration(option: string, text: string): number {
  return parseQuantity(
    option,
    text,
    SECONDS,
    'a length of time',
    'Write a number above zero with its unit ms, s, m or h: 500ms, 10s, 2m, 1h.',
  );
}

/** A size, in whole bytes. */
export function parseSize(option: string, text: string): number {
  const size = parseQuantity(
    option,
    text,
    BYTES,
    'a size',
    'Write a number above zero with its unit B, kB, MB, GB, TB or KiB, MiB, GiB, TiB: 64MB, 2GiB.',
  );
  return Math.max(1, Math.floor(size));
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
  const value = /^\d+(\.\d+)?$/.test(text.trim()) ? Number(text) : Number.NaN;
  if (!(value > 0)) {
    throw new VenturiError('VENTURI_USAGE', `--cores: '${text}' is not a number above zero.`, {
      remedy: 'Write it in digits: --cores 16, or --cores 1.5 for a container quota.',
    });
  }
  return value;
}

const THOUSANDS: Readonly<Record<string, number>> = { '': 1, k: 1e3, m: 1e6 };

/** Elements per second: `500/s`, `1.5k/s`. */
export function parseRate(option: string, text: string): number {
  const [, digits = '', prefix = ''] = /^(\d+(?:\.\d+)?) ?([km]?)(?:\/s)?$/i.exec(text.trim()) ?? [];
  const value = Number(digits) * (THOUSANDS[prefix.toLowerCase()] ?? Number.NaN);
  if (digits === '' || !(value > 0)) {
    throw new VenturiError('VENTURI_USAGE', `${option}: '${text}' is not a rate.`, {
      remedy: 'Write elements per second: 500/s, 1.5k/s.',
    });
  }
  return value;
}

/** Bytes per second: `500MB/s`. */
export function parseBandwidth(option: string, text: string): number {
  return parseQuantity(
    option,
    text.replace(/\/s$/, ''),
    BYTES,
    'a bandwidth',
    'Write a number above zero with its unit: 500MB/s, 2GB/s.',
  );
}
