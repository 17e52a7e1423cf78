/**
 * Units of a worker, each of which works on one chunk at a time (the worker's processor on one for each of its lanes). For M servers:
 * 0 … M-1 from each server, M … 2M-1 to each server, 2M … 3M-1 on each server, then its processor, what it parses beside (any number of messages at a time) and its part in collectives.
 */
export class Units {
  readonly servers: number;
  readonly worker: number;
  readonly parser: number;
  readonly collective: number;
  readonly count: number;

  constructor(servers: number) {
    this.servers = servers;
    // Downlinks, uplinks and servers' processors come before.
    this.worker = this.server(servers);
    this.parser = this.worker + 1;
    this.collective = this.parser + 1;
    this.count = this.collective + 1;
  }

  downlink(server: number): number {
    return server;
  }

  uplink(server: number): number {
    return this.servers + server;
  }

  server(server: number): number {
    return 2 * this.servers + server;
  }

  isLink(unit: number): boolean {
    return unit < this.server(0);
  }

  /** For printing and traces. */
  nameOf(unit: number): string {
    if (unit >= this.worker) return ['worker', 'parser', 'collective'][unit - this.worker] ?? '';
    const kind = ['downlink', 'uplink', 'server'][Math.floor(unit / this.servers)] ?? '';
    return this.servers === 1 ? kind : `${kind} ${(unit % this.servers) + 1}`;
  }
}
