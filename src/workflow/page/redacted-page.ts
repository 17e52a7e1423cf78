import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import type { PageSection } from '../../report/page/document.ts';
import { isProfiled } from '../../store/profile-reader.ts';
import { redactRun } from '../../store/redact-run.ts';
import { openRun } from '../../store/run-reader.ts';
import { refuseLargeGraph } from '../graph-limit.ts';
import { readerOf } from '../targets/registry.ts';
import { type RunPage, runPage } from './run-page.ts';

/** A page without paths, arguments and host names, to be shown to others. */
export async function redactedPage(path: string): Promise<RunPage> {
  if (readerOf([path]) !== undefined) return redactedIn(await runPage(path), dirname(path), []);
  const { folder: original, manifest } = openRun(path);
  refuseLargeGraph(manifest, 'page');
  const profiled = isProfiled(original);
  const folder = await mkdtemp(join(tmpdir(), 'venturi-page-'));
  try {
    const page = await runPage(redactRun(path, join(folder, 'redacted')));
    const dropped = profiled ? ['The profile: its functions are named after files.'] : [];
    return redactedIn(page, folder, dropped);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function redactedIn({ document, pyramid }: RunPage, folder: string, dropped: readonly string[]): RunPage {
  const sections = document.sections.map(section => withoutFolder(section, folder) as PageSection);
  return { document: { ...document, redacted: true, dropped: [...document.dropped, ...dropped], sections }, pyramid };
}

/** Every text in a value without the folder that a run lies in. */
export function withoutFolder(value: unknown, folder: string): unknown {
  if (typeof value === 'string') return value.replaceAll(`${folder}/`, '').replaceAll(folder, basename(folder));
  if (Array.isArray(value)) return value.map(each => withoutFolder(each, folder));
  if (ArrayBuffer.isView(value) || typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, withoutFolder(each, folder)]));
}
