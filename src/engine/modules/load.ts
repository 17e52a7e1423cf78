import { closeSync, existsSync, rmSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { extname, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Message } from 'esbuild';
import { openRegular } from '../../files/regular-file.ts';
import { VenturiError } from '../../model/errors.ts';
import { localFiles, PREFIX } from './bundle.ts';

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
 * Makes a pipeline file importable. It is bundled once by esbuild, with the local files it imports, so that every worker
 * loads plain JavaScript in a millisecond; packages stay outside. JavaScript given as a URL is imported as it is: that
 * is how a module names itself which Node has already imported without help. `firstLine`: the number
 * that a bundle's first line gets; beyond 1, its functions do not share lines either.
 */
export async function prepareModule(location: string, firstLine = 1): Promise<RunnableModule> {
  const isUrl = location.startsWith('file:');
  const path = isUrl ? fileURLToPath(location) : resolve(location);
  if (!existsSync(path)) {
    throw new VenturiError('VENTURI_PIPELINE_NOT_FOUND', `there is no file ${path}`, {
      remedy: 'give the path of a .ts or .js file whose default export builds a pipeline',
    });
  }
  const ending = extname(path);
  const isJavaScript = JAVASCRIPT.has(ending);
  const isCode = isJavaScript || TYPESCRIPT.has(ending);
  const what = whyNoFile(path) ?? (isCode ? undefined : 'it is neither TypeScript nor JavaScript');
  if (what !== undefined) {
    throw new VenturiError('VENTURI_NOT_A_PIPELINE', `${path} is no pipeline: ${what}`, {
      remedy: 'give a .ts or .js file whose default export builds a pipeline',
    });
  }
  if (isJavaScript && isUrl) return { url: location, path, dispose: async () => undefined };
  return bundle(path, firstLine);
}

function whyNoFile(path: string): string | undefined {
  try {
    closeSync(openRegular(path));
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

async function bundle(path: string, firstLine: number): Promise<RunnableModule> {
  // Imported, Node would look through all of it for its exports first, which takes longer than all else about it.
  const esbuild = createRequire(import.meta.url)('esbuild') as typeof import('esbuild');
  let code: string;
  try {
    const result = await esbuild.build({
      entryPoints: [path],
      bundle: true,
      write: false,
      platform: 'node',
      format: 'esm',
      target: 'node20',
      // Node's own conditions and no bundler's, since Node will import what is found.
      conditions: [],
      sourcemap: 'external',
      sourcesContent: false,
      // A profiler tells functions apart by their lines: no two may share one.
      ...(firstLine > 1 ? { lineLimit: 1 } : {}),
      logLevel: 'silent',
      // In the root folder, so that the map's relative source paths lead from there.
      outfile: '/pipeline.mjs',
      plugins: [localFiles()],
      // For CommonJS among the author's files.
      banner: {
        js: `${'\n'.repeat(firstLine - 1)}import{createRequire as __venturi}from'node:module';const require=__venturi(${JSON.stringify(path)});`,
      },
    });
    code = withMap(result.outputFiles);
  } catch (error) {
    throw syntaxError(path, error);
  }
  process.setSourceMapsEnabled(true);
  const folder = await mkdtemp(join(tmpdir(), 'venturi-'));
  keepUntilExit(folder);
  const file = join(folder, 'pipeline.mjs');
  await writeFile(file, code);
  const dispose = async (): Promise<void> => {
    await rm(folder, { recursive: true, force: true });
    kept.delete(folder);
  };
  return { url: pathToFileURL(file).href, path, dispose };
}

/** Folders to remove when the process is left in a hurry. */
const kept = new Set<string>();

let listening = false;

function removeKept(): void {
  for (const folder of kept) rmSync(folder, { recursive: true, force: true });
}

function keepUntilExit(folder: string): void {
  if (!listening) process.once('exit', removeKept);
  listening = true;
  kept.add(folder);
}

/** Apart from its comment, so that nobody takes this file's own text for one with a map. */
const MAPPING = 'sourceMappingURL';

/** The bundle with its map inside, sources under their full addresses: stack traces point into the author's files. */
function withMap(outputs: readonly { readonly path: string; readonly text: string }[]): string {
  const code = outputs.find(({ path }) => path.endsWith('.mjs'))?.text ?? '';
  const map = JSON.parse(outputs.find(({ path }) => path.endsWith('.map'))?.text ?? '{"sources":[]}') as {
    sources: string[];
  };
  map.sources = map.sources.map(source => pathToFileURL(resolve('/', source)).href);
  const encoded = Buffer.from(JSON.stringify(map)).toString('base64');
  return `${code}\n//# ${MAPPING}=data:application/json;base64,${encoded}\n`;
}

function syntaxError(path: string, error: unknown): Error {
  const messages = (error as { errors?: readonly Message[] }).errors;
  const first = messages?.[0];
  if (first === undefined) return error as Error;
  const unresolved = first.text.startsWith('Could not resolve');
  const code = unresolved ? 'VENTURI_PIPELINE_IMPORT' : 'VENTURI_PIPELINE_SYNTAX';
  const remedy = unresolved ? 'install the package, or correct the path' : 'correct the file; nothing was run';
  if (first.location === null) return new VenturiError(code, `${path}: ${first.text}`, { remedy });
  const { file, line, column, lineText } = first.location;
  // It counts bytes, and with what was put in front of the first line.
  const before = Buffer.from(lineText).subarray(0, column).toString().replace(PREFIX, '');
  const excerpt = `\n    ${lineText.replace(PREFIX, '')}\n    ${before.replace(/[^\t]/g, ' ')}^`;
  return new VenturiError(code, `${resolve(file)}:${line}:${before.length + 1}: ${first.text}${excerpt}`, { remedy });
}
