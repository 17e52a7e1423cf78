import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { renderText } from '../../report/text.ts';
import { openLane } from '../../store/lane-writer.ts';
import { newRun, temporaryFolder } from '../../store/run.fixture.ts';
import { LivePage } from './live-page.ts';

const wordsOf = (page: LivePage): string => renderText(page.section().blocks, { width: 100 });

test('a run whose recorder is gone is not told to go on, and its time stands still', async () => {
  const { pid } = spawnSync('true');
  const start = process.hrtime.bigint();
  const run = newRun(temporaryFolder(), { pid, start: String(start) });
  const lane = openLane(run.folder, { name: 'first', pid, tid: 1, opened: start });
  lane.span(lane.subjectNumber('stage:decode'), 0, 100, 50);
  lane.flush();
  const page = new LivePage(run.folder);
  expect(wordsOf(page)).toContain('test runs for');
  expect(await page.follow(new AbortController().signal)).toBe('abandoned');
  const { status, seconds } = page.section().data;
  expect(status).toBe('incomplete');
  expect(page.section().data.seconds).toBe(seconds);
  expect(wordsOf(page)).toContain('test broke off after');
  lane.close();
});
