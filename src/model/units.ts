/**
 * Branded units. A bare `number` never crosses a room's wall: what is measured carries what it is measured in.
 */
declare const unit: unique symbol;
type Quantity<U extends string> = number & { readonly [unit]: U };

/** Nanoseconds: a duration, or a moment counted from the run's start. */
export type Ns = Quantity<'ns'>;
export type Bytes = Quantity<'bytes'>;
/** A count of elements. */
export type Elements = Quantity<'elements'>;
export type ElementsPerSecond = Quantity<'elements/s'>;
export type BytesPerSecond = Quantity<'bytes/s'>;
/** Processor cores, possibly a fraction (a container quota of 1.5). */
export type Cores = Quantity<'cores'>;
/** A share of a whole, 0 to 1. */
export type Share = Quantity<'share'>;

export const ns = (value: number): Ns => value as Ns;
export const bytes = (value: number): Bytes => value as Bytes;
export const elements = (value: number): Elements => value as Elements;
export const elementsPerSecond = (value: number): ElementsPerSecond => value as ElementsPerSecond;
export const bytesPerSecond = (value: number): BytesPerSecond => value as BytesPerSecond;
export const cores = (value: number): Cores => value as Cores;
export const share = (value: number): Share => value as Share;

export const NS_PER_SECOND = 1e9;
export const NS_PER_MICROSECOND = 1000;
export const NS_PER_MILLISECOND = 1e6;
export const MS_PER_SECOND = 1000;
export const SECONDS_PER_HOUR = 3600;
export const MS_PER_DAY = 86_400_000;
export const MEGABYTE = 1e6;
export const MEBIBYTE = 2 ** 20;
