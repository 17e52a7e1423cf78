import { describe, expect, test } from 'vitest';
import type { LiveRun } from '../results/live-run.ts';
import { decodeNews, encodePage } from './encoding.ts';
import { newsBetween, withNews } from './live-news.ts';

const graph = { operators: [], channels: [], stages: [], fingerprint: 'one' };

/** A run that was told of `told` times; its curve has one bin more each time, and its last bin but one changes once more. */
function run(told: number, { fingerprint = 'one', binSeconds = 1 } = {}): LiveRun {
  const cores = Array.from({ length: told }, (_, bin) => (bin === told - 1 ? 0.5 : 1 + bin / 10));
  return {
    name: 'primes',
    folder: 'primes.venturi',
    complete: false,
    status: 'running',
    seconds: told,
    told,
    pipeline: {
      graph: { ...graph, fingerprint },
      windowSeconds: 1,
      now: undefined,
      tasks: [],
      channels: [],
      held: [],
      segments: [],
      cpu: { binSeconds, tasks: [{ id: 'decode', cores }] },
    },
  } as unknown as LiveRun;
}

const sent = (before: LiveRun | undefined, now: LiveRun) => {
  const news = newsBetween(before, now);
  return news && decodeNews(encodePage(news));
};

describe('news of a run that goes on', () => {
  test('make of the section before what the whole one would be', () => {
    let shown = run(1);
    for (let told = 2; told < 20; told++) {
      const news = sent(run(told - 1), run(told));
      // The bin that is new, and the one before it, which has changed.
      expect(news?.cores[0]).toHaveLength(2);
      shown = (news && withNews(shown, news)) ?? shown;
      expect(shown).toEqual(run(told));
    }
  });

  test('are told whole where nothing was told before, or something else', () => {
    expect(newsBetween(undefined, run(1))).toBeUndefined();
    expect(newsBetween(run(1), run(2, { fingerprint: 'other' }))).toBeUndefined();
    expect(newsBetween(run(1), run(2, { binSeconds: 2 }))).toBeUndefined();
  });

  test('that come after others were missed are no use, and old ones change nothing', () => {
    const news = sent(run(4), run(5));
    expect(news && withNews(run(3), news)).toBeUndefined();
    expect(news && withNews(run(7), news)).toEqual(run(7));
  });
});
