import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FlowLinks } from './flow-links.ts';
import type { LinkSpeeds, Links } from './links.ts';
import { SharedLinks } from './shared-links.ts';

const speeds = (servers: readonly number[], workers: number, card: number, perCard = 1): LinkSpeeds => ({
  servers,
  cards: Array.from({ length: Math.ceil(workers / perCard) }, () => card),
  cardOf: Array.from({ length: workers }, (_, worker) => Math.floor(worker / perCard)),
});

/** Bytes that each of these flows gets in the first unit of time. */
function rates(links: Links, servers: number, flows: readonly (readonly [worker: number, server: number])[]): number[] {
  // So much that none ends before.
  for (const [worker, server] of flows) links.start(0, worker, server, 1e9);
  const ends: number[] = [];
  const alone = flows.length;
  for (let ended = 0; ended < alone; ended++) {
    const end = links.nextEnd;
    ends[links.finish()] = end;
  }
  return flows.map(([worker, server]) => ends[worker * servers + server] ?? Number.NaN);
}

/** Moments when flows end that begin and end in some order. */
function history(
  links: Links,
  servers: number,
  starts: readonly (readonly [after: number, flow: number, bytes: number])[],
): [number, number][] {
  const ends: [number, number][] = [];
  const active = new Set<number>();
  let now = 0;
  const finish = (): void => {
    now = links.nextEnd;
    const flow = links.finish();
    active.delete(flow);
    ends.push([flow, now]);
  };
  for (const [after, flow, bytes] of starts) {
    const at = now + after;
    while (links.nextEnd <= at) finish();
    now = at;
    if (active.has(flow)) continue;
    active.add(flow);
    links.start(now, Math.floor(flow / servers), flow % servers, bytes);
  }
  while (links.nextEnd < Number.POSITIVE_INFINITY) finish();
  return ends;
}

describe('links', () => {
  it('share a server evenly among its workers, and a worker is held by its card', () => {
    for (const make of [SharedLinks, FlowLinks]) {
      const links = new make(speeds([10], 3, 4));
      links.start(0, 0, 0, 8);
      links.start(0, 1, 0, 4);
      links.start(0, 2, 0, 4);
      // A third of 10 each; then the first has 4 of its 8 left, and gets 4 at most.
      expect([links.nextEnd, links.finish()]).toEqual([expect.closeTo(1.2, 12), 1]);
      expect([links.nextEnd, links.finish()]).toEqual([expect.closeTo(1.2, 12), 2]);
      expect([links.nextEnd, links.finish()]).toEqual([expect.closeTo(2.2, 12), 0]);
      expect(links.nextEnd).toBe(Number.POSITIVE_INFINITY);
      expect(links.carried(3, 0)).toBeCloseTo(16, 9);
    }
  });

  it('give who is alone at one server what its flow from the other leaves of its card, and half where that is alone too', () => {
    for (const make of [SharedLinks, FlowLinks]) {
      const lone = new make(speeds([1, 1], 3, 1));
      lone.start(0, 0, 0, 1);
      lone.start(0, 0, 1, 1);
      expect(lone.nextEnd).toBeCloseTo(2, 12);
      const crowded = new make(speeds([1, 1], 3, 1));
      crowded.start(0, 0, 0, 2);
      for (const worker of [0, 1, 2]) crowded.start(0, worker, 1, 1);
      // Two thirds beside a third of the other server.
      expect(crowded.nextEnd).toBeCloseTo(3, 12);
    }
  });

  it('are shared as fairly by one rate for each link as by a rate for each flow, in every state of two servers and five workers', () => {
    const workers = 5;
    for (let state = 1; state < 4 ** workers; state++) {
      const flows = Array.from({ length: 2 * workers }, (_, flow) => flow)
        .filter(flow => (state >> flow) & 1)
        .map(flow => [flow >> 1, flow & 1] as const);
      const limits = speeds([1, 1], workers, 1);
      const shared = rates(new SharedLinks(limits), 2, flows);
      const each = rates(new FlowLinks(limits), 2, flows);
      for (const [at, end] of shared.entries()) expect(each[at]).toBeCloseTo(end, 3);
    }
  });

  it('end flows at the same moments either way, however these come and go', () => {
    const start = fc.tuple(
      fc.integer({ min: 0, max: 5 }),
      fc.integer({ min: 0, max: 9 }),
      fc.integer({ min: 1, max: 30 }),
    );
    const limits = fc.constantFrom(speeds([3, 3], 5, 4), speeds([3], 10, 1), speeds([3], 10, 7));
    fc.assert(
      fc.property(fc.array(start, { maxLength: 60 }), limits, (starts, limit) => {
        expect(SharedLinks.serves(limit)).toBe(true);
        const servers = limit.servers.length;
        const shared = new Map(
          history(new SharedLinks(limit), servers, starts).map(([flow, end], at) => [`${flow}/${at}`, end]),
        );
        const each = history(new FlowLinks(limit), servers, starts);
        expect(each.length).toBe(shared.size);
        const sum = (ends: Iterable<number>): number => [...ends].reduce((total, end) => total + end, 0);
        expect(sum(each.map(([, end]) => end))).toBeCloseTo(sum(shared.values()), 6);
      }),
    );
  });

  it('never exceed a capacity, and no flow could have more without taking from one that has no more than it', () => {
    const workers = 6;
    const limits: LinkSpeeds = {
      servers: [1, 2, 5],
      cards: [1, 3, 4],
      cardOf: [0, 0, 1, 1, 2, 2],
    };
    fc.assert(
      fc.property(fc.uniqueArray(fc.integer({ min: 0, max: 3 * workers - 1 }), { minLength: 1 }), chosen => {
        const got = chosen.map(flow => rateOf(limits, chosen, flow));
        const used = (has: (flow: number) => boolean): number =>
          chosen.reduce((sum, flow, at) => (has(flow) ? sum + (got[at] ?? 0) : sum), 0);
        const resources = [
          ...limits.servers.map((capacity, server) => ({ capacity, has: (flow: number) => flow % 3 === server })),
          ...limits.cards.map((capacity, card) => ({
            capacity,
            has: (flow: number) => limits.cardOf[Math.floor(flow / 3)] === card,
          })),
        ];
        for (const { capacity, has } of resources) expect(used(has)).toBeLessThanOrEqual(capacity + 1e-6);
        for (const [at, flow] of chosen.entries()) {
          const bottleneck = resources.some(
            ({ capacity, has }) =>
              has(flow) &&
              used(has) > capacity - 1e-6 &&
              chosen.every((other, index) => !has(other) || (got[index] ?? 0) <= (got[at] ?? 0) + 1e-6),
          );
          expect(bottleneck).toBe(true);
        }
      }),
      { numRuns: 60 },
    );
  });
});

/** Its rate among others: it has a byte to send and they have far more. */
function rateOf(limits: LinkSpeeds, flows: readonly number[], flow: number): number {
  const links = new FlowLinks(limits);
  for (const each of flows) links.start(0, Math.floor(each / 3), each % 3, each === flow ? 1e-6 : 1e9);
  return 1e-6 / links.nextEnd;
}
