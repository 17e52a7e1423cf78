import { RecentBatches, type RecentLoader } from '../analysis/batches/recent.ts';
import { RunFollower } from '../store/run-follower.ts';
import { openRun } from '../store/run-reader.ts';

const EVERY_MS = 500;

/** Reports what the loaders of a program do while it is recorded into a folder, twice a second. Returns how to stop that. */
export function watchBatches(folder: string, report: (recent: RecentLoader) => void): () => void {
  const { manifest } = openRun(folder);
  const origin = BigInt(manifest.start);
  const follower = new RunFollower(folder, origin);
  const recent = new RecentBatches();
  const look = (): void => {
    for (const block of follower.blocks()) recent.block(block, follower.subjects);
    const now = recent.now(Number(process.hrtime.bigint() - origin), manifest.host.coresUsable);
    if (now !== undefined) report(now);
  };
  const timer = setInterval(() => {
    try {
      look();
    } catch {
      // Nothing that is shown meanwhile may end the recording.
      clearInterval(timer);
    }
  }, EVERY_MS).unref();
  return () => clearInterval(timer);
}
