import { describe, expect, it } from 'vitest';
import { CONSUMER } from '../../../model/consumer.ts';
import { placeNodes } from '../../compile/graph.ts';
import { Topology } from '../../compile/topology.ts';
import { zip } from '../../description/joins.ts';
import type { Pipeline } from '../../description/pipeline.ts';
import { range } from '../../sources/range.ts';
import type { Position } from '../books/position.ts';
import { Journal } from './journal.ts';
import type { Landmark, OperatorSnapshot } from './journal-entry.ts';

const journalOf = (pipeline: Pipeline<unknown>): Journal =>
  new Journal(new Topology(placeNodes(pipeline.node)), undefined);

const at = (index: number, epoch = 0): Position => ({ epoch, index });
const snapshot = (id: string, out: number, ...inputs: number[]): OperatorSnapshot => ({
  id,
  out: at(out),
  inputs: inputs.map(index => at(index)),
  state: Uint8Array.of(out),
});
const landmark = (reader: string, of: number, reached: number, port = 0): Landmark => ({
  reader,
  port,
  of: at(of),
  at: at(reached),
});

const chain = range(100, { name: 'source' })
  .map(x => x, { name: 'map' })
  .shuffle(5, { name: 'shuffle' })
  .filter(() => true, { name: 'filter' });

describe('the line from which a run goes on', () => {
  it('is the beginning where nothing was written down', () => {
    const line = journalOf(chain).line(at(42));
    expect(line.consumer).toEqual({ from: at(0), until: at(42) });
    expect(line.operators.source).toEqual({ out: at(0), inputs: [], state: undefined });
  });

  it('takes the latest state before what the consumer has had, and before that the latest its input had', () => {
    const journal = journalOf(chain);
    for (const [source, shuffle] of [
      [20, 10],
      [40, 30],
      [60, 50],
    ] as const) {
      const snapshots = [snapshot('source', source), snapshot('shuffle', shuffle, source)];
      const landmarks = [landmark('shuffle', source, source), landmark(CONSUMER, shuffle, shuffle - 3)];
      journal.add({ snapshots, landmarks }, at(0));
    }
    const { operators, consumer } = journal.line(at(46));
    // 50 had left the shuffle when 47 had reached the consumer, which is too late by one.
    expect(consumer).toEqual({ from: at(27), until: at(46) });
    expect(operators.shuffle).toMatchObject({ out: at(30), inputs: [{ from: at(40), until: at(40) }] });
    expect(operators.source).toMatchObject({ out: at(40) });
    expect(journal.line(at(47)).operators.shuffle?.out).toEqual(at(50));
  });

  it('takes the latest state, in whatever order lanes tell of them', () => {
    const journal = journalOf(chain);
    for (const out of [20, 40, 30]) {
      const snapshots = [snapshot('source', out), snapshot('shuffle', out, out)];
      journal.add({ snapshots, landmarks: [landmark('shuffle', out, out), landmark(CONSUMER, out, out)] }, at(0));
    }
    expect(journal.line(at(50)).operators).toMatchObject({ source: { out: at(40) }, shuffle: { out: at(40) } });
  });

  it('leaves a gap where states do not fit', () => {
    const journal = journalOf(chain);
    journal.add({ snapshots: [snapshot('source', 20)], landmarks: [landmark('shuffle', 20, 20)] }, at(0));
    journal.add({ snapshots: [snapshot('shuffle', 30, 35)], landmarks: [landmark(CONSUMER, 30, 30)] }, at(0));
    // Its landmark has not reached the shuffle yet.
    journal.add({ snapshots: [snapshot('source', 34)], landmarks: [] }, at(0));
    const { operators } = journal.line(at(33));
    expect(operators.shuffle?.inputs).toEqual([{ from: at(20), until: at(35) }]);
    expect(operators.source?.out).toEqual(at(20));
  });

  it('takes the state that all readers have passed', () => {
    const shared = range(100, { name: 'source' });
    const journal = journalOf(zip([shared.map(x => x), shared.skip(1, { name: 'skip' })], { name: 'zip' }));
    const landmarks = [landmark('zip', 10, 10, 0), landmark('zip', 20, 20, 0), landmark('skip', 10, 10)];
    journal.add({ snapshots: [snapshot('source', 10), snapshot('source', 20)], landmarks }, at(0));
    journal.add({ snapshots: [snapshot('skip', 18, 19)], landmarks: [landmark('zip', 18, 18, 1)] }, at(0));
    journal.add({ snapshots: [snapshot('zip', 18, 18, 18)], landmarks: [landmark(CONSUMER, 18, 18)] }, at(0));
    const { operators } = journal.line(at(18));
    expect(operators.zip?.inputs).toEqual([
      { from: at(10), until: at(18) },
      { from: at(18), until: at(18) },
    ]);
    expect(operators.skip?.inputs).toEqual([{ from: at(10), until: at(19) }]);
    expect(operators.source?.out).toEqual(at(10));
  });

  it('starts over every operator in the pass it was in', () => {
    const journal = journalOf(chain);
    journal.add({ snapshots: [snapshot('source', 90)], landmarks: [landmark('shuffle', 90, 90)] }, at(0));
    const later = { id: 'shuffle', out: at(2, 1), inputs: [at(7, 1)], state: undefined };
    journal.add({ snapshots: [later], landmarks: [{ reader: CONSUMER, port: 0, of: at(2, 1), at: at(2, 1) }] }, at(0));
    expect(journal.line(at(5, 1)).operators.shuffle?.inputs).toEqual([{ from: at(90), until: at(7, 1) }]);
  });

  it('does not get worse by what is forgotten because the consumer is past it', () => {
    const journal = journalOf(chain);
    for (let step = 1; step <= 1000; step++) {
      const snapshots = [snapshot('source', step + 1), snapshot('shuffle', step, step + 1)];
      const landmarks = [landmark('shuffle', step + 1, step + 1), landmark(CONSUMER, step, step)];
      journal.add({ snapshots, landmarks }, at(step));
      expect(journal.line(at(step)).operators.shuffle?.out).toEqual(at(step));
    }
  });
});
