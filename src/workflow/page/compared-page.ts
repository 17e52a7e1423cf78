import type { PageSection } from '../../report/page/document.ts';
import { comparisonSection } from '../compare-all.ts';
import { withRedactedCopies } from '../redacted-copy.ts';

/** A run against another, which is the first of both. */
export const againstOther = (path: string, other: string): Promise<PageSection> => comparisonSection([other, path]);

/** The same without paths, arguments and host names. */
export const redactedAgainst = (path: string, other: string): Promise<PageSection> =>
  withRedactedCopies([other, path], comparisonSection);
