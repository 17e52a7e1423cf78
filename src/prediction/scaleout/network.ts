import { FlowLinks } from '../../simulation/flow-links.ts';
import type { LinkSpeeds, Links } from '../../simulation/links.ts';
import { SharedLinks } from '../../simulation/shared-links.ts';
import type { Cluster } from './cluster.ts';

/** Both directions of the links between workers and servers, by units: those from servers come first, then those to them. */
export class Network {
  readonly #down: Links;
  readonly #up: Links;
  readonly #servers: number;

  constructor(cluster: Cluster) {
    const speeds = linkSpeeds(cluster);
    this.#down = linksOf(speeds);
    this.#up = linksOf(speeds);
    this.#servers = speeds.servers.length;
  }

  /** Moments at which the next chunk has arrived, from a server and at one; Infinity where none is sent. */
  get nextDown(): number {
    return this.#down.nextEnd;
  }

  get nextUp(): number {
    return this.#up.nextEnd;
  }

  start(now: number, worker: number, unit: number, bytes: number): void {
    if (unit < this.#servers) this.#down.start(now, worker, unit, bytes);
    else this.#up.start(now, worker, unit - this.#servers, bytes);
  }

  /** Ends the chunk that `nextDown` is about: its worker × servers + its unit. */
  finishDown(): number {
    return this.#down.finish();
  }

  /** Of `nextUp`: its worker × servers + its unit - servers. */
  finishUp(): number {
    return this.#up.finish();
  }

  /** Bytes that a unit has carried by now. */
  carried(now: number, unit: number): number {
    return unit < this.#servers ? this.#down.carried(now, unit) : this.#up.carried(now, unit - this.#servers);
  }
}

const linksOf = (speeds: LinkSpeeds): Links =>
  SharedLinks.serves(speeds) ? new SharedLinks(speeds) : new FlowLinks(speeds);

const linkSpeeds = ({ workers, perHost, serverBandwidths, hostBandwidths }: Cluster): LinkSpeeds => ({
  servers: serverBandwidths,
  cards: hostBandwidths,
  cardOf: Array.from({ length: workers }, (_, worker) => Math.floor(worker / perHost)),
});
