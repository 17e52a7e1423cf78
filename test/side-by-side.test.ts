import { describe, expect, it } from 'vitest';
import { sideBySide } from '../bench/scaleout/side-by-side.mjs';

interface Lane {
  readonly key: string;
}

/** Tasks that take a few turns of the event loop, by key and load, and what was seen of them. */
function watched(tasks: readonly (readonly [key: string, load: number, turns: number])[]) {
  const seen = { begun: [] as number[], most: 0, strangers: 0, shared: 0 };
  const busy = new Set<Lane>();
  let used = 0;
  return {
    seen,
    tasks: tasks.map(([key, load, turns], number) => ({
      key,
      load,
      work: async (lane: Lane): Promise<void> => {
        seen.begun.push(number);
        if (lane.key !== key) seen.strangers++;
        if (busy.has(lane)) seen.shared++;
        busy.add(lane);
        used += load;
        seen.most = Math.max(seen.most, used);
        for (let turn = 0; turn < turns; turn++) await Promise.resolve();
        used -= load;
        busy.delete(lane);
      },
    })),
  };
}

const LANES = ['a', 'b', 'a', 'b'].map(key => ({ key }));
const never = (): boolean => false;

describe('trainings side by side', () => {
  it('never need more than there is room, each on a lane of its own kind', async () => {
    const loads = Array.from(
      { length: 60 },
      (_, at) => [at % 3 === 0 ? 'a' : 'b', 0.1 + (at % 7) / 10, 1 + (at % 5)] as const,
    );
    const { seen, tasks } = watched(loads);
    await sideBySide(tasks, LANES, 1, never);
    expect([...seen.begun].sort((a, b) => a - b)).toEqual([...loads.keys()]);
    expect(seen.most).toBeLessThan(1 + 1e-9);
    expect(seen.most).toBeGreaterThan(0.7);
    expect([seen.strangers, seen.shared]).toEqual([0, 0]);
  });

  it('let one that needs more than all room go alone', async () => {
    const { seen, tasks } = watched([
      ['a', 0.3, 3],
      ['b', 5, 3],
      ['a', 0.3, 3],
    ]);
    await sideBySide(tasks, LANES, 1, never);
    expect(seen.most).toBe(5);
    expect(seen.begun).toEqual([0, 2, 1]);
  });

  it('begin nothing any more once time is over, and end what was begun', async () => {
    const { seen, tasks } = watched([
      ['a', 1, 3],
      ['a', 1, 3],
      ['a', 1, 3],
    ]);
    await sideBySide(tasks, LANES, 1, () => seen.begun.length === 2);
    expect(seen.begun).toEqual([0, 1]);
  });
});
