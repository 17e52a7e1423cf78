import { isProfiled } from '../../store/profile-reader.ts';
import { openRun } from '../../store/run-reader.ts';
import { refuseLargeGraph } from '../graph-limit.ts';
import { withRedactedCopy } from '../redacted-copy.ts';
import { readerOf } from '../targets/registry.ts';
import { type RunPage, runPage } from './run-page.ts';

/** A page without paths, arguments and host names, to be shown to others. */
export async function redactedPage(path: string): Promise<RunPage> {
  const dropped = readerOf([path]) === undefined ? droppedOf(path) : [];
  const { document, pyramid } = await withRedactedCopy(path, runPage);
  return { document: { ...document, redacted: true, dropped: [...document.dropped, ...dropped] }, pyramid };
}

function droppedOf(path: string): string[] {
  const { folder, manifest } = openRun(path);
  refuseLargeGraph(manifest, 'page');
  return isProfiled(folder) ? ['The profile: its functions are named after files.'] : [];
}
