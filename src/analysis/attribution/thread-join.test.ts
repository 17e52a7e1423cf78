import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Owner, ThreadJoin } from './thread-join.ts';

interface Span {
  readonly name: string;
  readonly start: number;
  readonly end: number;
}

const nameOf = (owner: Owner): string => ('operator' in owner ? owner.operator : owner.reason);

/** Spans in the order in which a thread writes them: after they ended. */
function join(spans: readonly Span[], times: readonly number[], isCut = false, capacity?: number): string[] {
  const owners: string[] = [];
  const joined = new ThreadJoin(
    {
      add: (owner, symbol) => {
        owners[symbol] = nameOf(owner);
      },
    },
    capacity,
  );
  let next = 0;
  const feed = (end: number): void => {
    for (; (times[next] ?? end) < end; next++) joined.sample(times[next] ?? 0, next, 0, 1);
  };
  for (const { name, start, end } of spans) {
    joined.span({ operator: name }, start, end);
    feed(end);
  }
  feed(Number.POSITIVE_INFINITY);
  joined.finish(isCut);
  return owners;
}

describe('a sample', () => {
  const SPANS = [
    { name: 'open', start: 10, end: 20 },
    { name: 'decode', start: 20, end: 40 },
    { name: 'element', start: 10, end: 50 },
    { name: 'batch', start: 5, end: 60 },
  ];

  test('belongs to the innermost span open at its time; a boundary belongs to what begins there', () => {
    expect(join(SPANS, [4, 5, 9, 10, 19, 20, 39, 40, 49, 50, 59, 60])).toEqual([
      ...['before', 'batch', 'batch', 'open', 'open', 'decode', 'decode', 'element', 'element', 'batch', 'batch'],
      'after',
    ]);
  });

  test('finds the same owner whether what holds a span is written before or after it', () => {
    const times = Array.from({ length: 70 }, (_, at) => at);
    expect(join([...SPANS].reverse(), times)).toEqual(join(SPANS, times));
  });

  test('of a cut recording is not said to come after the last batch', () => {
    expect(join(SPANS, [70], true)).toEqual(['torn']);
  });

  test('between two spans belongs to neither', () => {
    const gap = [
      { name: 'a', start: 0, end: 10 },
      { name: 'b', start: 20, end: 30 },
    ];
    expect(join(gap, [9, 10, 19, 20])).toEqual(['a', 'betweenSpans', 'betweenSpans', 'b']);
  });
});

/** Batches one after the other, each with elements in it, each of them with operators side by side or nested. */
const batches = fc.array(
  fc.record({
    gap: fc.nat(5),
    elements: fc.array(fc.array(fc.record({ pause: fc.nat(3), lasts: fc.nat(6), holds: fc.boolean() })), {
      maxLength: 4,
    }),
  }),
  { maxLength: 8 },
);

function spansOf(drawn: typeof batches extends fc.Arbitrary<infer T> ? T : never): Span[] {
  const spans: Span[] = [];
  let now = 0;
  for (const [b, { gap, elements }] of drawn.entries()) {
    now += gap;
    const batchStart = now;
    const written: Span[] = [];
    for (const [e, operators] of elements.entries()) {
      const elementStart = now;
      const inner: Span[] = [];
      for (const [o, { pause, lasts, holds }] of operators.entries()) {
        now += pause;
        const start = now;
        now += lasts;
        if (holds && lasts > 2) inner.push({ name: `inner ${b}.${e}.${o}`, start: start + 1, end: now - 1 });
        inner.push({ name: `operator ${b}.${e}.${o}`, start, end: now });
      }
      written.push({ name: `element ${b}.${e}`, start: elementStart, end: now }, ...inner);
    }
    spans.push(...written, { name: `batch ${b}`, start: batchStart, end: now });
  }
  return spans;
}

test('any nesting gives what looking at every span gives', () => {
  fc.assert(
    fc.property(batches, fc.array(fc.nat(300)), (drawn, moments) => {
      const spans = spansOf(drawn);
      const times = [...moments].sort((a, b) => a - b);
      const first = Math.min(...spans.map(({ start }) => start));
      const last = Math.max(...spans.map(({ end }) => end));
      const expected = times.map(time => {
        const holding = spans.filter(({ start, end }) => start <= time && time < end);
        const innermost = holding.sort((a, b) => b.start - a.start || a.end - b.end)[0];
        if (innermost !== undefined) return [innermost.start, innermost.end];
        return spans.length === 0 || time < first ? 'before' : time >= last ? 'after' : 'betweenSpans';
      });
      const found = join(spans, times, false, 1024).map(name => {
        const span = spans.find(candidate => candidate.name === name);
        return span === undefined ? name : [span.start, span.end];
      });
      // Of spans with equal bounds either may win.
      expect(found).toEqual(expected);
    }),
  );
});

test('memory is bounded: a window far smaller than the samples decides the same where spans come soon', () => {
  const spans = Array.from({ length: 500 }, (_, at) => ({ name: `s${at % 7}`, start: at * 10, end: at * 10 + 8 }));
  const times = Array.from({ length: 5000 }, (_, at) => at);
  expect(join(spans, times, false, 64)).toEqual(join(spans, times));
});

test('a span longer than the window keeps its samples', () => {
  const times = Array.from({ length: 1000 }, (_, at) => at);
  expect(new Set(join([{ name: 'step', start: 0, end: 1000 }], times, false, 64))).toEqual(new Set(['step']));
});
