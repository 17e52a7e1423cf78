/** Starts a recorded run; with `figures`, a folder, one in which every event of the recording is timed as it happens. */
import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { ThreadCpu, Watch } from './timed-probe.mjs';

export async function recorded(folder, definition, options) {
  const { recordRun } = await import('venturi/record');
  return recordRun(folder, definition, options);
}

/** Gives the run, and `events` for when it has ended: by kind, how many there were and what one cost in ns of CPU. */
export async function recordedByWatch(folder, definition, options) {
  const figures = `${folder}.figures`;
  mkdirSync(figures);
  const timer = new Watch(new ThreadCpu());
  const plain = globalThis.setInterval;
  globalThis.setInterval = (work, ...more) => plain(() => timer.call(work), ...more);
  const module = new URL('./timed-probe.mjs', import.meta.url).href;
  const watched = {
    run: ({ probe, ...others }) => definition.run({ ...others, probe: { module, options: { ...probe, figures } } }),
  };
  const run = await recorded(folder, watched, options);
  const events = () => {
    const lanes = readdirSync(figures).map(file => JSON.parse(readFileSync(join(figures, file), 'utf8')));
    rmSync(figures, { recursive: true });
    return merged([...lanes, { timer: timer.figures }]);
  };
  return { run, events };
}

function merged(lanes) {
  const events = {};
  for (const lane of lanes) {
    for (const [kind, { count, ns }] of Object.entries(lane)) {
      const { count: before, ns: cost } = events[kind] ?? { count: 0, ns: 0 };
      const all = before + count;
      events[kind] = { count: all, ns: all === 0 ? 0 : (before * cost + count * ns) / all };
    }
  }
  return events;
}
