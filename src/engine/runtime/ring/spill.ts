/** A chunk on its way into a ring, part by part. */
export interface Shipment {
  readonly chunk: number;
  readonly bytes: Uint8Array;
  readonly count: number;
  readonly epoch: number;
  readonly flags: number;
  /** Bytes that have gone already. */
  from: number;
}

/** What a lane holds back for a ring that is full, because others wait for what comes after it. First in, first out. */
export class Spill {
  readonly #held: Shipment[] = [];

  get first(): Shipment | undefined {
    return this.#held[0];
  }

  /** Its bytes are copied: they lie in memory that is used again. */
  add(shipment: Shipment): void {
    this.#held.push({ ...shipment, bytes: shipment.bytes.slice() });
  }

  shift(): void {
    this.#held.shift();
  }

  clear(): void {
    this.#held.length = 0;
  }
}

/** Spilled bytes are counted in these, rounded up. */
export const KIBIBYTE = 1024;
export const kibibytes = (bytes: number): number => Math.ceil(bytes / KIBIBYTE) + 1;
