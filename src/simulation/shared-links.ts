import { Agenda, NONE } from './agenda.ts';
import type { LinkSpeeds, Links } from './links.ts';

/** Columns of a link's figures. */
const ATTAINED = 0;
const AT = 1;
const RATE = 2;
const END = 3;
const CARRIED = 4;
const COLUMNS = 5;

/** Both links of a worker are in use. */
const BOTH = 0b11;

/**
 * Max-min fair links while all flows of a link share one rate: one server, or two whose links are as fast as each other and no faster than a worker's
 * card. A flow's end then lies at a fixed point of the bytes that a flow which is always active would have got, so nothing is moved when others come and
 * go, and an event costs O(log flows). Beyond that, see `FlowLinks`.
 */
export class SharedLinks implements Links {
  readonly #servers: number;
  readonly #capacity: number;
  readonly #card: number;
  readonly #flows: readonly Agenda[];
  readonly #counts: Int32Array;
  /** By worker: the links it uses, a bit for each. */
  readonly #used: Uint8Array;
  readonly #figures: Float64Array;

  /** Whether links of these speeds can be reckoned this way. */
  static serves({ servers, cards, cardOf }: LinkSpeeds): boolean {
    const [capacity = 0, second = capacity] = servers;
    const [card = 0] = cards;
    const isUniform = cards.length === cardOf.length && cards.every(each => each === card);
    return isUniform && (servers.length === 1 || (servers.length === 2 && second === capacity && card >= capacity));
  }

  constructor({ servers, cards }: LinkSpeeds) {
    this.#servers = servers.length;
    this.#capacity = servers[0] ?? 0;
    this.#card = cards[0] ?? 0;
    this.#flows = servers.map(() => new Agenda());
    this.#counts = new Int32Array(servers.length);
    this.#used = new Uint8Array(cards.length);
    this.#figures = new Float64Array(servers.length * COLUMNS);
    for (let link = 0; link < servers.length; link++) this.#figures[link * COLUMNS + END] = Number.POSITIVE_INFINITY;
  }

  get nextEnd(): number {
    const first = this.#figures[END] as number;
    return this.#servers === 1 ? first : Math.min(first, this.#figures[COLUMNS + END] as number);
  }

  start(now: number, worker: number, server: number, bytes: number): void {
    this.#advance(now, server);
    (this.#flows[server] as Agenda).push((this.#figures[server * COLUMNS + ATTAINED] as number) + bytes, worker);
    this.#counts[server] = (this.#counts[server] as number) + 1;
    this.#used[worker] = (this.#used[worker] as number) | (1 << server);
    this.#share(now, server);
  }

  finish(): number {
    const figures = this.#figures;
    const server = this.#servers === 1 || (figures[END] as number) <= (figures[COLUMNS + END] as number) ? 0 : 1;
    const row = server * COLUMNS;
    const flows = this.#flows[server] as Agenda;
    const now = figures[row + END] as number;
    const count = (this.#counts[server] as number) - 1;
    // The finished flow's own end, not what rounding makes of the time passed at its rate.
    figures[row + CARRIED] = (figures[row + CARRIED] as number) + this.#flowed(now, server);
    figures[row + ATTAINED] = count === 0 ? 0 : flows.firstMoment;
    figures[row + AT] = now;
    const worker = flows.pop();
    this.#counts[server] = count;
    this.#used[worker] = (this.#used[worker] as number) & ~(1 << server);
    this.#share(now, server);
    return worker * this.#servers + server;
  }

  carried(now: number, server: number): number {
    return (this.#figures[server * COLUMNS + CARRIED] as number) + this.#flowed(now, server);
  }

  /** Bytes of all flows of a link since its figures were brought up to date. */
  #flowed(now: number, server: number): number {
    const row = server * COLUMNS;
    return (
      (now - (this.#figures[row + AT] as number)) *
      (this.#figures[row + RATE] as number) *
      (this.#counts[server] as number)
    );
  }

  #advance(now: number, server: number): void {
    const figures = this.#figures;
    const row = server * COLUMNS;
    figures[row + CARRIED] = (figures[row + CARRIED] as number) + this.#flowed(now, server);
    figures[row + ATTAINED] =
      (figures[row + ATTAINED] as number) + (now - (figures[row + AT] as number)) * (figures[row + RATE] as number);
    figures[row + AT] = now;
  }

  /** Sets rates after a change on one link. The other link's rate depends on it where one worker uses both. */
  #share(now: number, server: number): void {
    if (this.#servers === 1) {
      this.#set(0, Math.min(this.#card, this.#capacity / (this.#counts[0] as number)));
      return;
    }
    this.#advance(now, 1 - server);
    this.#set(0, this.#rate(0));
    this.#set(1, this.#rate(1));
  }

  #set(server: number, rate: number): void {
    const figures = this.#figures;
    const row = server * COLUMNS;
    if ((this.#counts[server] as number) === 0) {
      figures[row + RATE] = 0;
      figures[row + ATTAINED] = 0;
      figures[row + END] = Number.POSITIVE_INFINITY;
      return;
    }
    const left = (this.#flows[server] as Agenda).firstMoment - (figures[row + ATTAINED] as number);
    figures[row + RATE] = rate;
    // Rounding may have taken the other link a little past its end.
    figures[row + END] = (figures[row + AT] as number) + Math.max(0, left) / rate;
  }

  /** Of two links: a flow that is alone on its link gets what its worker's other flow leaves of the card (the paper's §5, and half where that is alone too). */
  #rate(server: number): number {
    const count = this.#counts[server] as number;
    if (count !== 1) return this.#capacity / count;
    const worker = (this.#flows[server] as Agenda).firstEvent;
    if (worker === NONE || this.#used[worker] !== BOTH) return Math.min(this.#capacity, this.#card);
    const others = this.#counts[1 - server] as number;
    return Math.min(this.#capacity, others === 1 ? this.#card / 2 : this.#card - this.#capacity / others);
  }
}
