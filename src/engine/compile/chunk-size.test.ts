import { describe, expect, test } from 'vitest';
import { chunkElements, elementsForCalls } from './chunk-size.ts';
import { engineRules } from './fusing.ts';

describe('a chunk', () => {
  test('keeps its consumer busy for 2 ms', () => {
    expect(chunkElements({ bytesPerElement: 8, consumerNs: 1e5 })).toBe(20);
  });

  test('has one element at least, and as many as its bytes allow', () => {
    expect(chunkElements({ bytesPerElement: 8, consumerNs: 1e9 })).toBe(1);
    expect(chunkElements({ bytesPerElement: 2 ** 16, consumerNs: 1 })).toBe(4);
    expect(chunkElements({ bytesPerElement: 2 ** 16, slotBytes: 2 ** 17, consumerNs: 1 })).toBe(2);
  });

  test('has enough for async calls however long they take, and no more than a prefetch allows', () => {
    const needs = { bytesPerElement: 8, consumerNs: 1e7, least: elementsForCalls(16) };
    expect(chunkElements(needs)).toBe(128);
    expect(chunkElements({ ...needs, most: 5 })).toBe(5);
  });

  test('grows no faster than its producer lets it', () => {
    expect(chunkElements({ bytesPerElement: 8, consumerNs: 1e3, grown: 4 })).toBe(4);
    expect(chunkElements({ bytesPerElement: 8, consumerNs: 0, grown: 7 })).toBe(7);
    expect(chunkElements({ bytesPerElement: 8, consumerNs: 1e3, producerNs: 2e5 })).toBe(10);
  });
});

test('rules that a forecast is handed divide a buffer among its slots', () => {
  const { buffer, chunkElements: elementsOf } = engineRules();
  const last = { ...buffer, id: 'ahead', inputs: [], settings: { elements: 66 } };
  const channel = { last, lanes: 1, bytesPerElement: 8, consumerNs: 100, concurrency: undefined, whole: 1 };
  // Four slots: two of a lane, and two more.
  expect(elementsOf(channel)).toBe(16);
  expect(elementsOf({ ...channel, last: { ...last, settings: { elements: 66, slots: 33 } } })).toBe(2);
  expect(elementsOf({ ...channel, last: { ...last, settings: {} } })).toBe(16384);
});
