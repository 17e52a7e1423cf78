import type { OrderRow } from '../data/orders.ts';

const BUCKETS = 32;

/**
 * An order as numbers: the logarithm of what it was worth, its hour and weekday as places on a circle, and which of BUCKETS each
 * of its words falls into.
 */
export function featuresOf({ placed, region, category, quantity, price, note }: OrderRow): Float32Array {
  const features = new Float32Array(5 + BUCKETS);
  const time = new Date(placed);
  features[0] = Math.log1p(Number(quantity) * Number(price));
  features.set(onCircle(time.getUTCHours() / 24), 1);
  features.set(onCircle(time.getUTCDay() / 7), 3);
  for (const word of [region, category, ...note.toLowerCase().split(/\W+/)]) {
    const bucket = 5 + (hash(word) % BUCKETS);
    features[bucket] = (features[bucket] ?? 0) + 1;
  }
  return features;
}

const onCircle = (part: number): [number, number] => [Math.cos(2 * Math.PI * part), Math.sin(2 * Math.PI * part)];

/** FNV-1a. */
function hash(word: string): number {
  let state = 0x811c9dc5;
  for (let at = 0; at < word.length; at++) state = Math.imul(state ^ word.charCodeAt(at), 0x01000193);
  return state >>> 0;
}
