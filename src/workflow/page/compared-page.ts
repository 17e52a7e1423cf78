import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { PageSection } from '../../report/page/document.ts';
import { redactRun } from '../../store/redact-run.ts';
import { comparisonSection } from '../compare-all.ts';
import { readerOf } from '../targets/registry.ts';
import { withoutFolder } from './redacted-page.ts';

/** A run against another, which is the first of both. */
export const againstOther = (path: string, other: string): Promise<PageSection> => comparisonSection([other, path]);

/** The same without paths, arguments and host names. */
export async function redactedAgainst(path: string, other: string): Promise<PageSection> {
  const paths = [other, path];
  if (readerOf(paths) !== undefined) {
    const section = await againstOther(path, other);
    return paths.map(dirname).reduce(withoutFolder, section) as PageSection;
  }
  const folder = await mkdtemp(join(tmpdir(), 'venturi-page-'));
  try {
    const copies = paths.map((each, at) => redactRun(each, join(folder, at === 0 ? 'other' : 'redacted')));
    return withoutFolder(await comparisonSection(copies), folder) as PageSection;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
