import { RecentBatches, type RecentLoader } from '../../../analysis/batches/recent.ts';
import { machineOf } from '../../../model/host.ts';
import { MS_PER_SECOND } from '../../../model/units.ts';
import { RunFollower } from '../../../store/run-follower.ts';
import { openRun } from '../../../store/run-reader.ts';

/** Twice a second. */
const EVERY_MS = MS_PER_SECOND / 2;

/** Reports what the loaders of a program do while it is recorded into a folder, twice a second. Returns how to stop that. */
export function watchBatches(folder: string, report: (recent: RecentLoader) => void): () => void {
  const { manifest } = openRun(folder);
  const origin = BigInt(manifest.start);
  const follower = new RunFollower(folder, origin);
  const recent = new RecentBatches();
  const stopping = new AbortController();
  const stop = (): void => stopping.abort();
  const follow = async (): Promise<void> => {
    for await (const block of follower.follow({ signal: stopping.signal, restMs: EVERY_MS })) {
      recent.block(block, follower.subjects);
    }
  };
  const timer = setInterval(() => {
    try {
      const now = recent.now(Number(process.hrtime.bigint() - origin), machineOf(manifest).coresUsable);
      if (now !== undefined) report(now);
    } catch {
      stop();
    }
  }, EVERY_MS).unref();
  stopping.signal.addEventListener('abort', () => clearInterval(timer));
  // Nothing that is shown meanwhile may end the recording.
  follow().catch(stop);
  return stop;
}
