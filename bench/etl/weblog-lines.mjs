/** What is done with a line of a web server's log, whoever reads it. */

const LINE = /^(\S+) \S+ \S+ \[([^\]]+)\] "(\S+) (\S+) [^"]*" (\d{3}) (\d+|-) "[^"]*" "([^"]*)"$/;
const BOT = /bot|crawler|spider/i;
const MONTHS = { Jan: 0, Feb: 1, Mar: 2, Apr: 3, May: 4, Jun: 5, Jul: 6, Aug: 7, Sep: 8, Oct: 9, Nov: 10, Dec: 11 };
const GAP_MS = 30 * 60 * 1000;

/** A hit, or undefined where the line is no such line. */
export function parse(line) {
  const match = LINE.exec(line);
  if (match === null) return undefined;
  const [, address, stamp, method, target, status, bytes, agent] = match;
  return {
    address,
    time: timeOf(stamp),
    method,
    target,
    status: Number(status),
    bytes: bytes === '-' ? 0 : Number(bytes),
    agent,
  };
}

/** Of `02/Mar/2026:10:15:32 +0000`, which is what this server writes: it keeps UTC. */
function timeOf(stamp) {
  return Date.UTC(
    Number(stamp.slice(7, 11)),
    MONTHS[stamp.slice(3, 6)],
    Number(stamp.slice(0, 2)),
    Number(stamp.slice(12, 14)),
    Number(stamp.slice(15, 17)),
    Number(stamp.slice(18, 20)),
  );
}

/** Somebody looked at something. */
export const isView = hit => hit !== undefined && hit.status >= 200 && hit.status < 300 && !BOT.test(hit.agent);

/** Visits: what one visitor looks at with no half hour in between. Hits come in the order of time. */
export class Sessions {
  #open = new Map();

  /** Gives the visit that this hit has shown to be over. */
  add({ address, agent, time, target, bytes }) {
    const visitor = `${address} ${agent}`;
    const session = this.#open.get(visitor);
    if (session !== undefined && time - session.last <= GAP_MS) {
      session.last = time;
      session.hits++;
      session.bytes += bytes;
      return undefined;
    }
    this.#open.set(visitor, { visitor, entry: target, first: time, last: time, hits: 1, bytes });
    return session;
  }

  /** The visits that are not over yet. */
  rest() {
    return this.#open.values();
  }
}
