import { describe, expect, it } from 'vitest';
import type { Lowered } from '../../model/lowered.ts';
import { perWorker } from '../contract/context.ts';
import type { Pipeline } from '../description/pipeline.ts';
import { lines } from '../sources/lines.ts';
import { range } from '../sources/range.ts';
import { lower } from './explain.ts';

const lowered = (pipeline: Pipeline<unknown>, options = {}): Lowered =>
  lower({ spec: {}, build: () => pipeline }, options);

const owned = ({ stages }: Lowered): string[] =>
  stages.flatMap(({ loops }) =>
    loops.flatMap(({ lines: code }) =>
      code.flatMap(({ text, operator, task }) =>
        operator === undefined ? [] : [`${operator} ${task} ${text.trim()}`],
      ),
    ),
  );

describe('lowering', () => {
  it('opens no source and sets no function up', () => {
    const pipeline = lines('/nowhere/*.txt').map(
      perWorker((): { call(text: string): string } => {
        throw new Error('was set up');
      }),
      { name: 'made' },
    );
    const { stages } = lowered(pipeline);
    expect(stages.flatMap(({ setUp }) => setUp)).toEqual(['made']);
  });

  it('names the operator and the task of the line that calls its function', () => {
    const pipeline = range(9)
      .map(x => x + 1, { name: 'more' })
      .filter(x => x > 2, { name: 'some' });
    const calls = owned(lowered(pipeline)).filter(line => line.includes(' call '));
    expect(new Set(calls)).toEqual(new Set(['more call mapped1 = call1(value);', 'some call kept2 = call2(mapped1);']));
  });

  it('cuts a stage into loops behind an async function, as its lane does', () => {
    const pipeline = range(9)
      .map(x => x, { name: 'before' })
      .map(async x => x, { name: 'awaited' })
      .map(x => x, { name: 'behind' });
    const [stage] = lowered(pipeline).stages;
    expect(stage?.loops.map(({ file, awaits }) => [file, awaits])).toEqual([
      ['venturi:range+before+awaited+behind.0', 'awaited'],
      ['venturi:range+before+awaited+behind.1', undefined],
    ]);
    const operators = stage?.loops.map(({ lines: code }) => new Set(code.flatMap(({ operator }) => operator ?? [])));
    expect(operators).toEqual([new Set(['before']), new Set(['behind'])]);
  });

  it('follows the settings: a stage of its own, a batch that lies flat only between threads', () => {
    const pipeline = range(9)
      .map(x => x, { name: 'divided' })
      .batch(3, { name: 'threes' });
    const set = { divided: { parallelism: 2 } };
    expect(lowered(pipeline, { set }).graph.stages.map(({ parallelism }) => parallelism)).toEqual([1, 2]);
    const isFlat = (found: Lowered): boolean => owned(found).some(line => line.includes('flat_'));
    const few = range(9).batch(3, { name: 'threes' });
    expect(isFlat(lowered(few))).toBe(true);
    expect(isFlat(lowered(few, { parallelism: 0 }))).toBe(false);
  });
});
