import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Agenda, NONE } from './agenda.ts';

describe('an agenda', () => {
  it('gives events in the order of their moments, and of equals whoever came first, however puts and takes alternate', () => {
    const moment = fc.integer({ min: 0, max: 20 });
    fc.assert(
      fc.property(fc.array(fc.oneof(moment, fc.constant(undefined)), { maxLength: 600 }), steps => {
        const agenda = new Agenda();
        const expected: { moment: number; event: number }[] = [];
        for (const [event, at] of steps.entries()) {
          if (at === undefined) {
            const first = expected.shift();
            expect(agenda.firstMoment).toBe(first?.moment ?? Number.POSITIVE_INFINITY);
            expect(agenda.firstEvent).toBe(first?.event ?? NONE);
            if (first !== undefined) expect(agenda.firstThreads).toBe(first.event / 2);
            expect(agenda.pop()).toBe(first?.event ?? NONE);
          } else {
            agenda.push(at, event, event / 2);
            const later = expected.findIndex(other => other.moment > at);
            expected.splice(later === -1 ? expected.length : later, 0, { moment: at, event });
          }
        }
        for (const { event } of expected) expect(agenda.pop()).toBe(event);
        expect(agenda.pop()).toBe(NONE);
      }),
    );
  });
});
