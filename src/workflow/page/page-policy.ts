import { createHash } from 'node:crypto';

/**
 * Content security policy of a page whose scripts and styles stand in it: those and nothing else may run. Text that comes to the page as data
 * cannot become code, whatever is in it.
 */
export function pagePolicy(html: string, place: 'served' | 'file'): string {
  const scripts = hashesOf(html, /<script(?![^>]*type="application\/json")[^>]*>([\s\S]*?)<\/script>/gi);
  const styles = hashesOf(html, /<style[^>]*>([\s\S]*?)<\/style>/gi);
  return [
    "default-src 'none'",
    `script-src ${scripts.join(' ') || "'none'"}`,
    `style-src ${styles.join(' ') || "'none'"}`,
    'img-src data:',
    ...(place === 'served' ? ["connect-src 'self'", "frame-ancestors 'none'"] : []),
    // Simulations run in a worker that the page makes of its own text.
    'worker-src blob:',
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
}

/** For answers without a page. */
export const BARE_POLICY = "default-src 'none'; frame-ancestors 'none'";

const hashesOf = (html: string, element: RegExp): string[] =>
  [...html.matchAll(element)].map(([, text = '']) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`);
