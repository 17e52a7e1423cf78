import { NS_PER_SECOND } from '../model/units.ts';

/** Shown where a figure does not exist. */
const NONE = '–';

type Format = (value: number | undefined) => string;

/** A dash for a value that is missing or not finite, else `format`. */
const orNone =
  (format: (value: number) => string): Format =>
  value =>
    value === undefined || !Number.isFinite(value) ? NONE : format(value);

/** A figure that may be missing from a column: an empty cell instead of a dash. */
export const orBlank = (format: Format, value: number | undefined): string =>
  value !== undefined && Number.isFinite(value) ? format(value) : '';

const PREFIXES = ['', 'k', 'M', 'G', 'T', 'P', 'E'] as const;

/** Decimals that are printed at most: of what is less, `0.00` says enough. */
const MOST_DECIMALS = 12;

/** `value` with three significant digits and never an exponent: `1.24`, `12.4`, `124`; two where it would be rounded to nothing: `0.0031`. */
function threeDigits(value: number): string {
  const size = Math.abs(value);
  if (size >= 99.95) return value.toFixed(0);
  if (size >= 9.995) return value.toFixed(1);
  const decimals = 1 - Math.floor(Math.log10(size));
  return value.toFixed(size < 0.00995 && decimals <= MOST_DECIMALS ? decimals : 2);
}

/** Scales by thousands; a value that would be rounded to 1000 takes the next prefix. */
function scale(value: number): { scaled: number; prefix: string } {
  let scaled = value;
  let step = 0;
  while (Math.abs(scaled) >= 999.5 && step < PREFIXES.length - 1) {
    scaled /= 1000;
    step++;
  }
  return { scaled, prefix: PREFIXES[step] ?? '' };
}

/** A whole number of things: `200`, `12.4 k`, `3.10 M`. */
export const count = orNone(value => {
  const { scaled, prefix } = scale(Math.round(value));
  return prefix === '' ? scaled.toFixed(0) : `${threeDigits(scaled)} ${prefix}`;
});

/** `1 stage`, `12.3 k elements`; `nouns` where it takes more than an s. */
export const plural = (n: number, noun: string, nouns = `${noun}s`): string => `${count(n)} ${n === 1 ? noun : nouns}`;

/** `1 batch`, `1.20 k batches`. */
export const batchCount = (n: number): string => plural(n, 'batch', 'batches');

/** `1 core`, `1.5 cores`. */
export const coreCount = (n: number): string => `${decimal(n)} ${n === 1 ? 'core' : 'cores'}`;

/** `the 1.2 of 2 cores that other programs leave`; undefined where they leave all of them. */
export const leftWords = ({ usable, left }: { readonly usable: number; readonly left: number }): string | undefined =>
  left < usable ? `the ${decimal(left)} of ${coreCount(usable)} that other programs leave` : undefined;

/** A quantity whose unit stands elsewhere: `0.25`, `62.5`, `1.24 M`. */
export const quantity = orNone(value => {
  const { scaled, prefix } = scale(value);
  return prefix === '' ? (value === 0 ? '0' : threeDigits(scaled)) : `${threeDigits(scaled)} ${prefix}`;
});

/** Things per second: `62.5/s`, `1.24 M/s`. */
export const rate = orNone(value => `${quantity(value)}/s`);

/** Bytes in powers of ten: `812 B`, `64.0 MB`. */
export const byteSize = orNone(value => {
  const { scaled, prefix } = scale(Math.round(value));
  return prefix === '' ? `${scaled.toFixed(0)} B` : `${threeDigits(scaled)} ${prefix}B`;
});

/** Bytes as an option takes them, of two digits: `5.5GB`. */
export function byteOption(value: number): string {
  const { scaled, prefix } = scale(value);
  return `${Number(scaled.toPrecision(2))}${prefix}B`;
}

export const byteRate = orNone(value => `${byteSize(value)}/s`);

const zeroPadded = (value: number): string => String(value).padStart(2, '0');

function duration(ns: number, digits: (value: number) => string): string {
  const seconds = ns / NS_PER_SECOND;
  if (ns < 0) return NONE;
  if (ns === 0) return '0 s';
  if (ns < 999.5) return `${ns.toFixed(0)} ns`;
  if (ns < 999_500) return `${digits(ns / 1e3)} µs`;
  if (ns < 999_500_000) return `${digits(ns / 1e6)} ms`;
  if (seconds < 59.95) return `${digits(seconds)} s`;
  const whole = Math.round(seconds);
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${zeroPadded(whole % 60)} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 24 * 60) return `${Math.floor(minutes / 60)} h ${zeroPadded(minutes % 60)} min`;
  const hours = Math.round(seconds / 3600);
  return `${Math.floor(hours / 24)} d ${zeroPadded(hours % 24)} h`;
}

const twoDigits = (value: number): string => (value < 9.95 ? value.toFixed(1) : value.toFixed(0));

/** A length of time for prose: `812 µs`, `3.2 s`, `1 h 04 min`. */
export const time = orNone(ns => duration(ns, twoDigits));

/** A length of time for a column: three digits, `3.21 s`. */
export const preciseTime = orNone(ns => duration(ns, threeDigits));

/** A share for prose: `71 %`, `4.2 %`, `<0.1 %`. */
export const percent = orNone(share => {
  const value = share * 100;
  if (value === 0) return '0 %';
  if (value < 0.05) return '<0.1 %';
  return `${twoDigits(value)} %`;
});

/** A share for a column, where decimals stand below each other: `71.0 %`. */
export const precisePercent = orNone(share => {
  const value = share * 100;
  return value > 0 && value < 0.05 ? '<0.1 %' : `${value.toFixed(1)} %`;
});

/** Cores or a mean queue length: `1.9`, `0.03`, `12`. */
export const decimal = orNone(value => {
  if (Number.isInteger(value)) return String(value);
  if (value > 0 && value < 0.005) return '<0.01';
  return value < 0.095 ? value.toFixed(2) : value.toFixed(1);
});

/** Decimals that show one significant digit of an error, so that no figure claims more than its interval allows. */
const decimalsFor = (error: number): number => Math.max(0, -Math.floor(Math.log10(error) + 1e-9));

/**
 * A value within its interval: `1.9 ± 0.1 s`, or `0.2 s (0.0 to 0.9)` where the interval is lopsided. An interval of
 * no width shows the value alone.
 */
export function interval(value: number, low: number, high: number, unit = ''): string {
  if (![value, low, high].every(Number.isFinite)) return NONE;
  const suffix = unit === '' ? '' : ` ${unit}`;
  const half = (high - low) / 2;
  if (half <= Math.abs(value) * 1e-6) return `${threeDigits(value)}${suffix}`;
  const decimals = Math.min(9, decimalsFor(half));
  const isEven = Math.abs(high - value - (value - low)) <= 0.2 * half;
  return isEven
    ? `${value.toFixed(decimals)} ± ${half.toFixed(decimals)}${suffix}`
    : `${value.toFixed(decimals)}${suffix} (${low.toFixed(decimals)} to ${high.toFixed(decimals)})`;
}

const TIME_UNITS = [
  { ns: 1e9, unit: 's' },
  { ns: 1e6, unit: 'ms' },
  { ns: 1e3, unit: 'µs' },
] as const;

/** A length of time within its interval, all in the unit of the value, or of an end far above it: `1.9 ± 0.1 s`. */
export function timeInterval(ns: number, low: number, high: number): string {
  // Narrower than the digits shown.
  if (high - low <= ns * 0.01) return preciseTime(ns);
  const { ns: divisor, unit } = TIME_UNITS.find(candidate => Math.max(ns, high / 10) >= candidate.ns) ?? {
    ns: 1,
    unit: 'ns',
  };
  return interval(ns / divisor, low / divisor, high / divisor, unit);
}
