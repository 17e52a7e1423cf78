import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';

const root = fileURLToPath(new URL('../web', import.meta.url));

/** Text that can stand in an element of HTML that ends at `</name`. */
const inside = (name, text) => text.replaceAll(new RegExp(`</(?=${name})`, 'gi'), '<\\/').replaceAll('<!--', '<\\!--');

/**
 * Builds the page into `FOLDER/web/page.html`: one file with its script and its styles in it, and empty places for a document, its tiles and
 * what is readable without JavaScript (`src/report/page/self-contained.ts` fills them).
 */
export async function buildPage(folder) {
  const { output } = await build({
    root,
    configFile: false,
    logLevel: 'warn',
    oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
    build: {
      write: false,
      target: 'es2023',
      modulePreload: false,
      assetsInlineLimit: Number.MAX_SAFE_INTEGER,
      cssCodeSplit: false,
    },
  });
  const html = output.find(({ fileName }) => fileName.endsWith('.html'));
  const scripts = output.filter(({ type }) => type === 'chunk');
  const styles = output.filter(({ fileName }) => fileName.endsWith('.css'));
  if (html === undefined || scripts.length !== 1 || styles.length !== 1 || output.length !== 3) {
    throw new Error(`the page is not one file: ${output.map(({ fileName }) => fileName).join(', ')}`);
  }
  // Functions, since a replacement text would take $& and its kin for commands.
  const page = String(html.source)
    .replace(/\s*<script type="module"[^>]*><\/script>/, '')
    .replace(/<link rel="stylesheet"[^>]*>/, () => `<style>${inside('style', String(styles[0].source))}</style>`)
    .replace('</body>', () => `<script type="module">${inside('script', scripts[0].code)}</script>\n</body>`);
  mkdirSync(join(folder, 'web'), { recursive: true });
  writeFileSync(join(folder, 'web', 'page.html'), page);
}
