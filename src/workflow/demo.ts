import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { makeImages } from '../io/media/synthetic.ts';
import { VenturiError } from '../model/errors.ts';
import { TRIED } from '../report/page/document.ts';
import type { DemoResult } from '../report/results/demo.ts';
import { demoCommand } from '../report/views/demo.ts';
import { tuningReport } from '../report/views/tuning.ts';
import { writePage } from './page/write-page.ts';
import { savePlan } from './plan-file.ts';
import type { LiveProgress } from './progress.ts';
import { diagnose } from './targets/engine/diagnose.ts';
import { tune } from './targets/engine/tune.ts';

export interface DemoRequest {
  /** Where images, recordings and the plan go; a temporary folder unless given. */
  readonly folder?: string;
  readonly images?: number;
  /** Seconds of each recording. */
  readonly seconds?: number;
  readonly signal?: AbortSignal;
  onStep?(line: string): void;
  onProgress?(progress: LiveProgress): void;
}

const IMAGES = 300;
const EPOCHS = 20;
const SECONDS = 5;
const SIZE = { width: 500, height: 375 };

/** Makes a small JPEG data set, records an image pipeline over it, tunes it, and says what that gained. */
export async function demo(request: DemoRequest): Promise<DemoResult> {
  const folder = request.folder ?? (await mkdtemp(join(tmpdir(), 'venturi-demo-')));
  const images = join(folder, 'images');
  const record = join(folder, 'runs');
  const plan = join(folder, 'plan.json');
  const count = request.images ?? IMAGES;
  request.onStep?.(`making ${count} JPEG images of ${SIZE.width}x${SIZE.height} in ${images}`);
  try {
    await makeImages(images, count, { ...SIZE, seed: 1, ...(request.signal && { signal: request.signal }) });
  } catch (error) {
    if (request.folder === undefined) await rm(folder, { recursive: true, force: true });
    if (request.signal?.aborted !== true) throw error;
    throw new VenturiError('VENTURI_INTERRUPTED', 'the images were still being made', { remedy: 'start it again' });
  }
  // A demo in the same folder starts over; its recordings are its own to replace.
  await rm(record, { recursive: true, force: true });
  await mkdir(record, { recursive: true });
  const pipeline = fileURLToPath(new URL('./demo/pipeline.js', import.meta.url));
  const { signal, onStep, onProgress } = request;
  const tuning = await tune({
    pipeline,
    parameters: [`folder=${images}`],
    epochs: EPOCHS,
    seconds: request.seconds ?? SECONDS,
    record,
    ...(signal === undefined ? {} : { signal }),
    ...(onStep === undefined ? {} : { onStep }),
    ...(onProgress === undefined ? {} : { onProgress }),
  });
  savePlan(plan, tuning.plan);
  const diagnosis = await diagnose(tuning.before.recording ?? record);
  const best = tuning.best === undefined ? undefined : tuning.tried[tuning.best]?.recording;
  const tuned = best === undefined ? undefined : await diagnose(best);
  const page = join(folder, 'report.html');
  const blocks = tuningReport(tuning, demoCommand({ pipeline, images, plan }));
  const more = [{ kind: 'tuning', ...TRIED, blocks, data: tuning } as const];
  await writePage(tuning.before.recording ?? record, { out: page, full: true, more });
  return { schemaVersion: 1, diagnosis, tuned, tuning, pipeline, images, plan, page };
}
