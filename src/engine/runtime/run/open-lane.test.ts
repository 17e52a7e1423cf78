import { expect, it } from 'vitest';
import { range } from '../../sources/range.ts';
import { Clock } from '../books/clock.ts';
import { sharedTotals } from '../books/totals.ts';
import { WorkMark } from '../books/work-mark.ts';
import { InlineOutput } from '../stage/inline-output.ts';
import { elementsPiece, type Input, markPiece, type Piece } from '../stage/input.ts';
import { MemoryGuard } from '../stage/memory-guard.ts';
import { openLane } from './open-lane.ts';
import { laneSize, planRun } from './run-plan.ts';

/** Pieces that were there before the lane was, and who was told that it reads from them. */
function transportOf(pieces: readonly Piece[]) {
  const left = [...pieces];
  const input: Input = {
    own: false,
    waited: 0,
    next: () => left.shift() ?? markPiece('closed', 0, 0),
    ready: () => left.length > 0,
    used: () => undefined,
    skipTo: () => undefined,
    cancel: () => undefined,
  };
  const attached: Input[] = [];
  const output = new InlineOutput();
  return { inputs: [input], output, attached, attach: (to: Input) => attached.push(to) };
}

it('a lane takes its chunks from whatever carries them, and leaves its own there', async () => {
  const pipeline = range(9)
    .prefetch(1)
    .map(x => x * 2)
    .filter(x => x > 2);
  const memory = 2 ** 24;
  const plan = planRun(pipeline, { set: {}, epochs: 1, inline: false, memory, slots: undefined });
  const stage = plan.stages.length - 1;
  const transport = transportOf([
    elementsPiece(0, [1, 2, 3], 0, 3, 0, 0),
    elementsPiece(1, [0, 10], 0, 2, 3, 0),
    markPiece('end', 2, 0),
  ]);
  const size = laneSize(plan, stage);
  const { signal } = new AbortController();
  const runner = await openLane(
    {
      plan,
      stage,
      lane: 0,
      lanes: 1,
      settings: { seed: 0, memory, chunkElements: undefined, deadLetter: undefined, trial: false },
      clock: new Clock(process.hrtime.bigint()),
      stop: { signal, stopping: () => signal.aborted },
      totals: sharedTotals(size),
      mark: new WorkMark(),
      memory: new MemoryGuard(memory, () => memory),
      probe: undefined,
      caches: {},
      journal: undefined,
      inner: () => Promise.reject(new Error('no operator opens pipelines')),
    },
    transport,
  );
  expect(transport.attached).toEqual(transport.inputs);
  await runner.run();
  expect(transport.output.take()).toEqual([4, 6, 20]);
});
