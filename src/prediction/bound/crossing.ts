/**
 * What handing one element on costs both sides together, in seconds, and each of its bytes: encoding, two copies,
 * decoding. A first guess, corrected by what a recording shows of its own channels where that is known.
 */
const PER_ELEMENT = 80e-9;
const PER_BYTE = 0.3e-9;

/** So many elements of so many bytes together, for each that leaves the pipeline. */
export interface Handed {
  readonly visits: number;
  readonly bytes: number;
}

/** Seconds for handing them on, both sides together. */
export const crossing = ({ visits, bytes }: Handed): number => visits * PER_ELEMENT + bytes * PER_BYTE;

/**
 * Seconds for taking out of memory what was kept there: it is decoded, and what is decoded comes from further away than what has just been
 * made.
 */
export const rereading = crossing;
