import { basename } from 'node:path';
import type { PageDocument, PageSection } from '../../report/page/document.ts';
import { openRun } from '../../store/run-reader.ts';
import { readerOf } from '../targets/registry.ts';
import { sectionsOf } from './sections.ts';

/** The page of a recorded run, or of a file that another program wrote. */
export async function pageDocument(path: string): Promise<PageDocument> {
  const sections = await sectionsOf(path);
  return documentOf(titleOf(path), sections, readerOf([path]) === undefined && openRun(path).manifest.redacted);
}

const titleOf = (path: string): string =>
  readerOf([path]) === undefined ? openRun(path).manifest.name : basename(path);

export const documentOf = (title: string, sections: readonly PageSection[], redacted: boolean): PageDocument => ({
  schema: 'venturi.page/1',
  title,
  madeAt: new Date().toISOString(),
  redacted,
  dropped: [],
  sections,
});
