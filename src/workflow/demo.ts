import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { makeImages } from '../engine/media/synthetic.ts';
import { type RunInfo, runInfo } from './info.ts';
import type { LiveProgress } from './progress.ts';
import { type RunResult, runPipeline } from './run.ts';

export interface DemoRequest {
  /** Where images and recording go; a temporary folder unless given. */
  readonly folder?: string;
  readonly images?: number;
  readonly signal?: AbortSignal;
  onStep?(line: string): void;
  onProgress?(progress: LiveProgress): void;
  onWarning?(line: string): void;
}

export interface DemoResult {
  readonly run: RunResult;
  readonly info: RunInfo;
}

const IMAGES = 300;
const EPOCHS = 5;
const SIZE = { width: 500, height: 375 };

/** Makes a small JPEG data set, runs an image pipeline over it, and reads back what was recorded. */
export async function demo(request: DemoRequest): Promise<DemoResult> {
  const folder = request.folder ?? (await mkdtemp(join(tmpdir(), 'venturi-demo-')));
  const images = join(folder, 'images');
  const record = join(folder, 'demo.venturi');
  const count = request.images ?? IMAGES;
  request.onStep?.(`making ${count} JPEG images of ${SIZE.width}x${SIZE.height} in ${images}`);
  await mkdir(images, { recursive: true });
  await makeImages(images, count, { ...SIZE, seed: 1 });
  // A demo in the same folder starts over; its recording is its own to replace.
  await rm(record, { recursive: true, force: true });
  request.onStep?.(`running the pipeline ${EPOCHS} times: read, decode, resize, crop, flip, normalise, batch`);
  const { signal, onProgress, onWarning } = request;
  const run = await runPipeline({
    pipeline: fileURLToPath(new URL('./demo/pipeline.js', import.meta.url)),
    record,
    set: [],
    params: [`folder=${images}`],
    epochs: EPOCHS,
    ...(signal === undefined ? {} : { signal }),
    ...(onProgress === undefined ? {} : { onProgress }),
    ...(onWarning === undefined ? {} : { onWarning }),
  });
  return { run, info: await runInfo(record) };
}
