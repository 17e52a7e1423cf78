import { describe, expect, test } from 'vitest';
import { analyse, graphOf, HOST, operator, SECOND, type SteadyLane } from '../analysis/records.fixture.ts';
import type { Graph } from '../model/graph.ts';
import { cores } from '../model/units.ts';
import { findingsOf } from './judge.ts';
import { lane } from './lane.fixture.ts';
import type { Finding } from './registry.ts';
import { findingWords } from './words.ts';

describe('batches that are larger than a slot of their channel', () => {
  const MB = 1e6;
  const sizing = { largeSlots: 6, counted: false, lends: false };

  /** One batch a second, `inParts` of whose bytes are of batches of 38.5 MB, in a run with so much memory. */
  function found(
    inParts: number,
    {
      memory = 256 * MB,
      memoryUsable = 8000 * MB,
      largest = 38.5 * MB,
      seconds = 20,
      recorded = true,
      decode = 0.98,
      more = {} as SteadyLane['perSecond'],
      host = {} as Partial<typeof HOST>,
    } = {},
  ) {
    const batches = graphOf([
      operator('source', [], { kind: 'files', sequential: true }),
      operator('decode', ['source'], { kind: 'batch', gathers: 64 }),
    ]);
    const sized: Graph = {
      ...batches,
      memory,
      channels: batches.channels.map(channel => ({ ...channel, largeSlotBytes: 10 * MB, sizing })),
    };
    const counted = { largestInParts: 0, chunksInParts: 1, bytesInParts: inParts * 100 * MB, bytesHandedOn: 100 * MB };
    const lanes: SteadyLane[] = [
      lane('source#0', 50, { running: 0.05 }),
      lane('decode#0', 50, { running: decode, starved: decode < 0.5 ? 0.3 : 0 }),
      lane('consumer', 50, { running: 0.01, starved: 0.99 }),
      {
        name: 'host',
        perSecond: { 'channel:decode → consumer': counted, ...more },
        first: { 'channel:decode → consumer': { largestInParts: largest } },
      },
    ];
    const { verdict, others } = findingsOf(
      analyse(recorded ? sized : batches, lanes, seconds, { host: { ...HOST, ...host, memoryUsable } }),
    );
    kinds = [verdict, ...others].map(({ kind }) => kind);
    return [verdict, ...others].find(({ kind }) => kind === 'chunks-in-parts');
  }
  /** Of all findings, the verdict first. */
  let kinds: readonly string[];

  test('are told, with the memory that lets them pass whole', () => {
    const finding = found(0.9);
    expect(finding).toMatchObject({
      limits: false,
      operators: ['decode'],
      figures: { from: 'decode', to: 'consumer', batch: 64, share: 0.9, slot: 10 * MB, memory: 256 * MB },
      gain: undefined,
    });
    // Two channels have half of it: six slots of a batch each, and 30 of 128 KiB.
    expect(finding?.fix).toEqual({ type: 'memory', bytes: 940 * MB });
  });

  test('limit where a channel is full before them, though its reader has time', () => {
    const more = { 'channel:source → decode': { saturated: 0.95 * SECOND } };
    const finding = found(0.9, { decode: 0.3, more });
    expect([finding?.limits, kinds[0]]).toEqual([true, 'chunks-in-parts']);
    expect(finding && findingWords(finding).text).toMatch(
      /^Batches of up to 38.5 MB limit this pipeline: they pass from decode /,
    );
    found(0, { decode: 0.3, more });
    expect(kinds[0]).toBe('channel-bound');
  });

  test('limit where all cores are busy, much of that outside the lanes, and tell of no threads there', () => {
    const [more, host] = [{ process: { processCpu: 2e6 } }, { coresUsable: cores(2), coresPresent: cores(2) }];
    expect(found(0.9, { more, host })).toMatchObject({ limits: true, cause: { type: 'hardware', resource: 'cpu' } });
    expect(kinds[0]).toBe('chunks-in-parts');
    expect(kinds).not.toContain('own-threads');
    found(0, { more, host });
    expect(kinds[0]).toBe('own-threads');
  });

  test('are no matter of memory where the machine has not that much, or no slot is as large', () => {
    const tight = found(0.9, { memoryUsable: 1800 * MB });
    expect(tight).toMatchObject({ fix: { type: 'advice' }, figures: { needed: 940 * MB } });
    const words = (finding: Finding | undefined) => (finding === undefined ? '' : findingWords(finding).fix);
    expect(words(tight)).toBe(
      'They pass whole with --memory 940MB, of the 1.80 GB that there are: smaller batches (16 elements fit) or fewer threads take less',
    );
    const huge = found(0.9, { largest: 100 * MB });
    expect(huge).toMatchObject({ fix: { type: 'advice' }, figures: { needed: undefined } });
    expect(words(huge)).toBe('No memory lets them pass whole: smaller batches (6 elements fit) take less');
  });

  test('are nothing to speak of where they are exceptions, or few, or there are none', () => {
    expect(found(0.05)).toBeUndefined();
    expect(found(0.9, { seconds: 6 })).toBeUndefined();
    expect(found(0.9, { seconds: 7 })).toBeDefined();
  });

  test('are not told from recordings that do not have the size of slots', () => {
    expect(found(0.9, { recorded: false })).toBeUndefined();
  });
});
