/**
 * Links between servers and workers, in one direction. Each server has a link, each worker or host a network card, and flows get
 * max-min fair rates within both. A flow is named by its worker and its server; there is at most one for each pair.
 */
export interface Links {
  /** Begins a flow of so many bytes. */
  start(now: number, worker: number, server: number, bytes: number): void;
  /** Moment when the next flow ends unless another begins before; Infinity where there is none. */
  readonly nextEnd: number;
  /** Ends the flow that `nextEnd` is about: its worker × the number of servers + its server. */
  finish(): number;
  /** Bytes that a server has sent or received by `now`. */
  carried(now: number, server: number): number;
}

/** Capacities, bytes per second. */
export interface LinkSpeeds {
  /** By server. */
  readonly servers: readonly number[];
  /** By network card. */
  readonly cards: readonly number[];
  /** By worker: its card. */
  readonly cardOf: readonly number[];
}
