import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { extname, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { VenturiError } from '../../model/errors.ts';

/** A module that every thread can import. */
export interface RunnableModule {
  readonly url: string;
  /** What its author wrote. */
  readonly path: string;
  dispose(): Promise<void>;
}

const TYPESCRIPT = new Set(['.ts', '.mts', '.cts', '.tsx']);
const JAVASCRIPT = new Set(['.js', '.mjs', '.cjs']);

/**
 * Makes a pipeline file importable. JavaScript is imported as it is. TypeScript is bundled once by esbuild, with the
 * local files it imports, so that every worker loads plain JavaScript in a millisecond; packages stay outside.
 */
export async function prepareModule(location: string): Promise<RunnableModule> {
  const path = location.startsWith('file:') ? fileURLToPath(location) : resolve(location);
  if (!existsSync(path)) {
    throw new VenturiError('VENTURI_PIPELINE_NOT_FOUND', `there is no file ${path}`, {
      remedy: 'give the path of a .ts or .js file whose default export builds a pipeline',
    });
  }
  const ending = extname(path);
  if (JAVASCRIPT.has(ending)) return { url: pathToFileURL(path).href, path, dispose: async () => undefined };
  if (TYPESCRIPT.has(ending)) return bundle(path);
  throw new VenturiError('VENTURI_NOT_A_PIPELINE', `${path} is neither TypeScript nor JavaScript`, {
    remedy: 'give a .ts or .js file whose default export builds a pipeline',
  });
}

async function bundle(path: string): Promise<RunnableModule> {
  const esbuild = await import('esbuild');
  const { localFiles } = await import('./bundle.ts');
  let code: string;
  try {
    const result = await esbuild.build({
      entryPoints: [path],
      bundle: true,
      write: false,
      platform: 'node',
      format: 'esm',
      target: 'node20',
      sourcemap: 'external',
      sourcesContent: false,
      logLevel: 'silent',
      // In the root folder, so that the map's relative source paths lead from there.
      outfile: '/pipeline.mjs',
      plugins: [localFiles()],
    });
    code = withMap(result.outputFiles);
  } catch (error) {
    throw syntaxError(path, error);
  }
  process.setSourceMapsEnabled(true);
  const folder = await mkdtemp(join(tmpdir(), 'venturi-'));
  const file = join(folder, 'pipeline.mjs');
  await writeFile(file, code);
  return { url: pathToFileURL(file).href, path, dispose: () => rm(folder, { recursive: true, force: true }) };
}

/** The bundle with its map inside, sources under their full addresses: stack traces point into the author's files. */
function withMap(outputs: readonly { readonly path: string; readonly text: string }[]): string {
  const code = outputs.find(({ path }) => path.endsWith('.mjs'))?.text ?? '';
  const map = JSON.parse(outputs.find(({ path }) => path.endsWith('.map'))?.text ?? '{"sources":[]}') as {
    sources: string[];
  };
  map.sources = map.sources.map(source => pathToFileURL(resolve('/', source)).href);
  const encoded = Buffer.from(JSON.stringify(map)).toString('base64');
  return `${code}\n//# sourceMappingURL=data:application/json;base64,${encoded}\n`;
}

interface BuildMessage {
  readonly text: string;
  readonly location: {
    readonly file: string;
    readonly line: number;
    readonly column: number;
    readonly lineText: string;
  } | null;
}

function syntaxError(path: string, error: unknown): Error {
  const messages = (error as { errors?: readonly BuildMessage[] }).errors;
  const first = messages?.[0];
  if (first === undefined) return error as Error;
  const at = first.location;
  const where = at === null ? path : `${resolve('/', at.file)}:${at.line}:${at.column + 1}`;
  const excerpt = at === null ? '' : `\n    ${at.lineText}\n    ${' '.repeat(at.column)}^`;
  return new VenturiError('VENTURI_PIPELINE_SYNTAX', `${where}: ${first.text}${excerpt}`, {
    remedy: 'correct the file; nothing was run',
  });
}
