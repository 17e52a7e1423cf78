import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { fileURLToPath } from 'node:url';
import type { Worker } from 'node:worker_threads';
import { expect, it } from 'vitest';

const EXAMPLE = fileURLToPath(new URL('../examples/steps/vgg11-one-worker.json.gz', import.meta.url));
const { forecastRun }: typeof import('../src/workflow/index.ts') = await import(
  new URL('../dist/workflow/index.js', import.meta.url).href
);

/** A forecast by so many threads, and how many simulations came from threads. */
async function forecast(threads: number | undefined): Promise<{ readonly result: unknown; readonly answers: number }> {
  let answers = 0;
  const started = (message: unknown): void => {
    const { worker } = message as { readonly worker: Worker };
    worker.on('message', () => answers++);
  };
  subscribe('worker_threads', started);
  try {
    const cluster = { replicas: [1, 2, 4], bandwidth: 1.25e8, steps: 20, threads };
    const { result } = await forecastRun(EXAMPLE, { cluster });
    return { result, answers };
  } finally {
    unsubscribe('worker_threads', started);
  }
}

it('forecasts clusters on threads, and the same on any number of them', async () => {
  const alone = await forecast(1);
  expect(alone.answers).toBe(0);
  for (const threads of [2, 3]) {
    const { result, answers } = await forecast(threads);
    // One worker begins at one moment; two and four also staggered; five resamples each.
    expect(answers).toBe(6 + 7 + 7);
    expect(result).toEqual(alone.result);
  }
});
