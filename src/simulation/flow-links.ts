import { NONE } from './agenda.ts';
import type { LinkSpeeds, Links } from './links.ts';

/**
 * Max-min fair links with a rate for each flow: any number of servers, links and cards of any speed, several workers behind one card. Rates are set by
 * progressive filling: the resource with the least to give each of its flows is filled first, and what it gave is taken from the others
 * (Bertsekas and Gallager, Data Networks §6.5.2). Where one flow takes the place of another of the same pair, no rate changes and none is computed.
 */
export class FlowLinks implements Links {
  readonly #servers: number;
  readonly #cardOf: Int32Array;
  /** By resource: servers' links first, then cards. */
  readonly #capacities: Float64Array;
  readonly #counts: Int32Array;
  readonly #left: Float64Array;
  readonly #open: Int32Array;
  /** The flows there are, and the position of each among them. */
  readonly #flows: Int32Array;
  readonly #positions: Int32Array;
  #size = 0;
  readonly #unset: Int32Array;
  /** By flow: bytes left at the moment `at`, its rate from then on and its end. */
  readonly #bytes: Float64Array;
  readonly #at: Float64Array;
  readonly #rates: Float64Array;
  readonly #ends: Float64Array;
  /** By server: bytes carried, by the moment in the second half of it. */
  readonly #carried: Float64Array;
  readonly #serverRates: Float64Array;
  /** The moment of the last change, and of the next end. */
  readonly #moments = Float64Array.of(0, Number.POSITIVE_INFINITY);
  #next = NONE;
  /** Ended at the last change, and not yet followed by another of its pair. */
  #ended = NONE;
  #isStale = false;

  constructor({ servers, cards, cardOf }: LinkSpeeds) {
    const flows = servers.length * cardOf.length;
    this.#servers = servers.length;
    this.#cardOf = Int32Array.from(cardOf);
    this.#capacities = Float64Array.from([...servers, ...cards]);
    this.#counts = new Int32Array(this.#capacities.length);
    this.#left = new Float64Array(this.#capacities.length);
    this.#open = new Int32Array(this.#capacities.length);
    this.#flows = new Int32Array(flows);
    this.#positions = new Int32Array(flows).fill(NONE);
    this.#unset = new Int32Array(flows);
    this.#bytes = new Float64Array(flows);
    this.#at = new Float64Array(flows);
    this.#rates = new Float64Array(flows);
    this.#ends = new Float64Array(flows);
    this.#carried = new Float64Array(servers.length);
    this.#serverRates = new Float64Array(servers.length);
  }

  get nextEnd(): number {
    if (this.#ended !== NONE) this.#forget();
    if (this.#isStale) this.#share();
    return this.#moments[1] as number;
  }

  start(now: number, worker: number, server: number, bytes: number): void {
    const flow = worker * this.#servers + server;
    if (this.#ended === flow && this.#moments[0] === now) {
      this.#ended = NONE;
      this.#bytes[flow] = bytes;
      this.#at[flow] = now;
      this.#ends[flow] = now + bytes / (this.#rates[flow] as number);
      this.#findNext();
      return;
    }
    this.#advance(now);
    if (this.#ended !== NONE) this.#forget();
    this.#bytes[flow] = bytes;
    this.#at[flow] = now;
    this.#rates[flow] = 0;
    this.#positions[flow] = this.#size;
    this.#flows[this.#size++] = flow;
    this.#count(flow, 1);
    this.#isStale = true;
  }

  finish(): number {
    const flow = this.#next;
    this.#advance(this.#moments[1] as number);
    if (this.#ended !== NONE) this.#forget();
    this.#ended = flow;
    return flow;
  }

  carried(now: number, server: number): number {
    const since = now - (this.#moments[0] as number);
    return (this.#carried[server] as number) + since * (this.#serverRates[server] as number);
  }

  #advance(now: number): void {
    for (let server = 0; server < this.#servers; server++) this.#carried[server] = this.carried(now, server);
    this.#moments[0] = now;
  }

  /** Removes the flow that ended: no other of its pair has followed. */
  #forget(): void {
    const flow = this.#ended;
    const last = this.#flows[--this.#size] as number;
    const position = this.#positions[flow] as number;
    this.#flows[position] = last;
    this.#positions[last] = position;
    this.#positions[flow] = NONE;
    this.#count(flow, -1);
    this.#ended = NONE;
    this.#isStale = true;
  }

  #count(flow: number, change: number): void {
    const [server, card] = [flow % this.#servers, this.#cardResource(flow)];
    this.#counts[server] = (this.#counts[server] as number) + change;
    this.#counts[card] = (this.#counts[card] as number) + change;
  }

  #cardResource(flow: number): number {
    return this.#servers + (this.#cardOf[(flow / this.#servers) | 0] as number);
  }

  #share(): void {
    this.#isStale = false;
    this.#left.set(this.#capacities);
    this.#open.set(this.#counts);
    this.#serverRates.fill(0);
    this.#unset.set(this.#flows);
    for (let unset = this.#size; unset > 0; ) unset = this.#fill(this.#scarcest(), unset);
    this.#findNext();
  }

  /** The resource that can give each of its flows the least. */
  #scarcest(): number {
    let scarcest = NONE;
    let least = Number.POSITIVE_INFINITY;
    for (let resource = 0; resource < this.#open.length; resource++) {
      const open = this.#open[resource] as number;
      if (open === 0) continue;
      const share = (this.#left[resource] as number) / open;
      if (scarcest !== NONE && share >= least) continue;
      scarcest = resource;
      least = share;
    }
    return scarcest;
  }

  /** Sets the rates of a resource's flows among the first `unset`; how many are unset after that. */
  #fill(resource: number, unset: number): number {
    const rate = Math.max(0, (this.#left[resource] as number) / (this.#open[resource] as number));
    let kept = 0;
    for (let at = 0; at < unset; at++) {
      const flow = this.#unset[at] as number;
      const server = flow % this.#servers;
      const card = this.#cardResource(flow);
      if (server !== resource && card !== resource) {
        this.#unset[kept++] = flow;
        continue;
      }
      this.#left[server] = (this.#left[server] as number) - rate;
      this.#left[card] = (this.#left[card] as number) - rate;
      this.#open[server] = (this.#open[server] as number) - 1;
      this.#open[card] = (this.#open[card] as number) - 1;
      this.#serverRates[server] = (this.#serverRates[server] as number) + rate;
      this.#setRate(flow, rate);
    }
    return kept;
  }

  #setRate(flow: number, rate: number): void {
    const old = this.#rates[flow] as number;
    if (old === rate) return;
    const now = this.#moments[0] as number;
    const bytes = Math.max(0, (this.#bytes[flow] as number) - (now - (this.#at[flow] as number)) * old);
    this.#bytes[flow] = bytes;
    this.#at[flow] = now;
    this.#rates[flow] = rate;
    this.#ends[flow] = now + bytes / rate;
  }

  #findNext(): void {
    let next = NONE;
    let end = Number.POSITIVE_INFINITY;
    for (let at = 0; at < this.#size; at++) {
      const flow = this.#flows[at] as number;
      const own = this.#ends[flow] as number;
      if (own >= end) continue;
      next = flow;
      end = own;
    }
    this.#next = next;
    this.#moments[1] = end;
  }
}
