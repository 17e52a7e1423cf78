import { Option } from 'commander';
import { htmlPage } from '../report/html/page.ts';
import { renderMarkdown } from '../report/markdown.ts';
import type { Report } from '../report/tree.ts';

const FORMATS = ['text', 'markdown', 'html'] as const;
export type ReportFormat = (typeof FORMATS)[number];

/** For verbs that print a report: what it is printed as, for other places than a terminal. */
export const formatOption = (): Option =>
  new Option('--format <format>', 'print it for a terminal, a pull request, or as a page without scripts')
    .choices(FORMATS)
    .conflicts('json');

/** A report for elsewhere than a terminal. */
export const formattedReport = (report: Report, format: Exclude<ReportFormat, 'text'>): string =>
  format === 'markdown' ? renderMarkdown(report) : htmlPage({ title: 'Venturi', reports: [report], notes: [] });
