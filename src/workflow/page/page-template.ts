import { readFileSync } from 'node:fs';
import { VenturiError } from '../../model/errors.ts';

/** The page as it was built, without a document. */
export function pageTemplate(): string {
  try {
    return readFileSync(new URL('../../web/page.html', import.meta.url), 'utf8');
  } catch (error) {
    throw new VenturiError('VENTURI_PAGE_MISSING', 'The page is not among the files of this installation.', {
      remedy: 'Install venturi again; from its sources, build it: npm run build',
      cause: error,
    });
  }
}
