import type { Report } from '../tree.ts';
import { escapeHtml } from './escape.ts';
import { type HtmlOptions, renderHtml } from './html.ts';
import { REPORT_STYLE } from './style.ts';

export interface HtmlPage extends HtmlOptions {
  readonly title: string;
  readonly reports: readonly Report[];
  /** Last lines: what made it, and what it leaves out. */
  readonly notes: readonly string[];
}

/** A page of its own that needs nothing beside it. Its policy lets in no script and nothing from elsewhere. */
export function htmlPage({ title, reports, notes, ...options }: HtmlPage): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>${escapeHtml(title)}</title>
<style>${REPORT_STYLE}</style>
</head>
<body>
<main>
<header class="report"><h1>${escapeHtml(title)}</h1></header>
${reports.map(report => renderHtml(report, options)).join('')}</main>
<footer class="report">
${notes.map(note => `<p class="muted">${escapeHtml(note)}</p>`).join('\n')}
</footer>
</body>
</html>
`;
}
