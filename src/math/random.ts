import { threefry4x32 } from './threefry.ts';

const WORD = 2 ** 32;

/**
 * Counter-based random numbers. The n-th number of a key depends on the key and on n, and on nothing drawn before or
 * elsewhere, so results are the same however elements are spread over threads.
 *
 * Seed, operator and epoch are the generator's key; sequence, sub-index and the number's position are its counter.
 * One block of the generator yields two numbers of 64 bits.
 */
export class Random {
  /** The generator's key and counter. */
  readonly #input = new Int32Array(8);
  readonly #block = new Int32Array(4);
  /** Numbers drawn from this key. */
  #position = 0;
  /** Numbers drawn from earlier keys. */
  #earlier = 0;

  /** Starts the stream of another element. Costs a few stores: nothing is computed until a number is drawn. */
  rekey(seed: number, operator: number, epoch: number, sequence: number, sub: number): void {
    const input = this.#input;
    // Storing into 32 bits keeps the low word.
    input[0] = seed;
    input[1] = highWord(seed);
    input[2] = operator;
    input[3] = epoch;
    input[4] = sequence;
    input[5] = highWord(sequence);
    input[6] = sub;
    this.#earlier += this.#position;
    this.#position = 0;
  }

  /** Numbers drawn since construction, over all keys. */
  get draws(): number {
    return this.#earlier + this.#position;
  }

  /** From 0 to below 1, with 53 random bits. */
  uniform(): number {
    const at = this.#next();
    const high = (this.#block[at] ?? 0) >>> 5;
    const low = (this.#block[at + 1] ?? 0) >>> 6;
    return (high * 2 ** 26 + low) / 2 ** 53;
  }

  /** A whole number from 0 to `below` - 1, each equally likely. */
  int(below: number): number {
    if (!(below >= 1 && below <= Number.MAX_SAFE_INTEGER && Number.isInteger(below))) {
      throw new RangeError(`int(below) wants a whole number from 1 to 2^53 - 1, not ${below}`);
    }
    // The values past the last whole multiple of `below` would favour small remainders: draw again.
    if (below <= WORD) {
      for (;;) {
        const word = (this.#block[this.#next()] ?? 0) >>> 0;
        const remainder = word % below;
        if (word - remainder + below <= WORD) return remainder;
      }
    }
    const fair = 2 ** 53 - (2 ** 53 % below);
    for (;;) {
      const wide = this.uniform() * 2 ** 53;
      if (wide < fair) return wide % below;
    }
  }

  /** From `low` to below `high`. */
  between(low: number, high: number): number {
    const value = low + (high - low) * this.uniform();
    // Rounding can reach the excluded end.
    return value < high ? value : low;
  }

  /** True with probability `p`. */
  chance(p: number): boolean {
    return this.uniform() < p;
  }

  /** Standard normal, by Box and Muller's transform of two numbers. */
  normal(): number {
    const radius = Math.sqrt(-2 * Math.log(1 - this.uniform()));
    return radius * Math.cos(2 * Math.PI * this.uniform());
  }

  /** Takes the next 64 bits of this key: where they lie in the block. */
  #next(): number {
    const position = this.#position++;
    if ((position & 1) !== 0) return 2;
    this.#input[7] = position >>> 1;
    threefry4x32(this.#input, this.#block);
    return 0;
  }
}

function highWord(value: number): number {
  return value >= 0 && value < WORD ? 0 : Math.floor(value / WORD) | 0;
}

/** 32-bit hash of a text (FNV-1a over its UTF-16 units, then mixed), to key an operator by its id. */
export function hashText(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return mix(hash) >>> 0;
}

/** 32-bit hash of a sub-index path extended by one index. Never 0: that is the path of an undivided element. */
export function mixPath(sub: number, index: number): number {
  const hash = mix(Math.imul(mix(sub + 0x9e3779b9), 0x85ebca6b) ^ mix(index + 1)) >>> 0;
  return hash === 0 ? 1 : hash;
}

/** The finaliser of MurmurHash3: a bijection of 32 bits in which each input bit reaches every output bit. */
function mix(value: number): number {
  value = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  value = Math.imul(value ^ (value >>> 13), 0xc2b2ae35);
  return value ^ (value >>> 16);
}
