/** Code of the page and of the pyramid, which the package has inside its bundles only: made from the sources, as JavaScript. */
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const ENTRY = `
export { PyramidFold } from './src/analysis/pyramid/pyramid.ts';
export { decodeTile } from './src/report/page/tile-encoding.ts';
export { PixelWriter } from './web/timeline/pixels.ts';
export { rowsOf } from './web/timeline/rows.ts';
export { levelBinNs, levelFor, tilesIn } from './web/timeline/tile-choice.ts';
export { panned, zoomed } from './web/timeline/viewport.ts';
export { AXIS, MINIMAP } from './web/timeline/paint.ts';
`;

/** The address of a module with all of them. */
export async function pageCode(folder) {
  const outfile = join(folder, 'page-code.mjs');
  await build({
    stdin: { contents: ENTRY, resolveDir: fileURLToPath(new URL('../..', import.meta.url)) },
    bundle: true,
    format: 'esm',
    target: 'node20',
    outfile,
    logLevel: 'warning',
  });
  return pathToFileURL(outfile).href;
}
