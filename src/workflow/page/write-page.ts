import { replaceFile } from '../../files/atomic-file.ts';
import type { PageSection } from '../../report/page/document.ts';
import { unwritableExport } from '../export/unwritable.ts';
import { againstOther, redactedAgainst } from './compared-page.ts';
import { pageFile } from './page-file.ts';
import { pageTemplate } from './page-template.ts';
import { redactedPage } from './redacted-page.ts';
import { documentOf, type RunPage, runPage } from './run-page.ts';

export interface WritePageRequest {
  readonly out: string;
  /** With paths and arguments. */
  readonly full?: boolean | undefined;
  /** A run that it is compared with. */
  readonly other?: string | undefined;
  /** Sections behind those of the run. */
  readonly more?: readonly PageSection[];
}

/** What a written page holds. */
export interface WrittenPage {
  readonly schemaVersion: 1;
  readonly file: string;
  readonly bytes: number;
  readonly redacted: boolean;
  readonly sections: readonly string[];
  /** What was left out, in sentences. */
  readonly dropped: readonly string[];
}

/** Writes the page of a run into one file, which can be mailed. */
export async function writePage(path: string, request: WritePageRequest): Promise<WrittenPage> {
  const { out, full, other, more = [] } = request;
  const compared = other === undefined ? [] : [await (full === true ? againstOther : redactedAgainst)(path, other)];
  const page = await (full === true ? runPage(path) : redactedPage(path));
  const sections = [...compared, ...page.document.sections, ...more];
  return writeDocument(out, { ...page, document: { ...page.document, sections } });
}

/** Writes a page of these sections alone. They are written as they are, with paths and arguments. */
export const writeSections = (out: string, title: string, sections: readonly PageSection[]): WrittenPage =>
  writeDocument(out, { document: documentOf(title, sections, false), pyramid: undefined });

function writeDocument(out: string, page: RunPage): WrittenPage {
  const { html, document } = pageFile(pageTemplate(), page);
  try {
    replaceFile(out, html);
  } catch (error) {
    throw unwritableExport(out, error);
  }
  return {
    schemaVersion: 1,
    file: out,
    bytes: Buffer.byteLength(html),
    redacted: document.redacted,
    sections: document.sections.map(({ title }) => title),
    dropped: document.dropped,
  };
}
