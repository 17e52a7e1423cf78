import type { ClusterOptions } from '../../src/prediction/scaleout/cluster-request.ts';
import type { ScaleoutBasis } from '../../src/report/page/scaleout-basis.ts';
import { type SimulatedClusters, simulateClusters } from './simulation.ts';

interface Asked {
  readonly basis: ScaleoutBasis;
  readonly options: ClusterOptions;
}

/** What a worker tells: how far it is, and then what came of it, or why nothing did. */
export type Told =
  | { readonly kind: 'progress'; readonly done: number; readonly of: number }
  | { readonly kind: 'done'; readonly simulated: SimulatedClusters }
  | { readonly kind: 'failed'; readonly message: string };

/** The worker's side: answers what it is asked. */
export function serveSimulations(): void {
  addEventListener('message', ({ data }: MessageEvent<Asked>) => {
    const tell = (told: Told): void => postMessage(told);
    try {
      const simulated = simulateClusters(data.basis, data.options, (done, of) => tell({ kind: 'progress', done, of }));
      tell({ kind: 'done', simulated });
    } catch (error) {
      tell({ kind: 'failed', message: error instanceof Error ? error.message : String(error) });
    }
  });
}

/** The page's side: simulates in a worker of its own, so that the page can be used meanwhile. Gives what stops it. */
export function simulateBeside(asked: Asked, onTold: (told: Told) => void): () => void {
  const script = document.querySelector('script[type="module"]')?.textContent ?? '';
  const address = URL.createObjectURL(new Blob([script], { type: 'text/javascript' }));
  // The bundle imports nothing, so it is a classic script, too: of a module, a page out of a file could make no worker.
  const worker = new Worker(address);
  const stop = (): void => {
    worker.terminate();
    URL.revokeObjectURL(address);
  };
  worker.addEventListener('message', ({ data }: MessageEvent<Told>) => {
    onTold(data);
    if (data.kind !== 'progress') stop();
  });
  worker.addEventListener('error', ({ message }) => {
    onTold({ kind: 'failed', message: message || 'This browser refuses workers here.' });
    stop();
  });
  worker.postMessage(asked);
  return stop;
}
