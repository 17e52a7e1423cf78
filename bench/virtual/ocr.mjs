/**
 * The job of the dag-bottlenecks paper: six tasks, 4,000 bitmaps of 10 MB, every instance on a core of its own, and a
 * slow link from the reader to the OCR. Service times are calibrated on two of the paper's run times.
 */
import { logNormal } from './random.mjs';

const OCR_SECONDS = 4.65;
const PDF_SECONDS = 1.125;
const LINK_BYTES_PER_SECOND = 27.8e6;
const BITMAP_BYTES = 10e6;

/** @param {{ ocr: number, pdf: number, index: number, documents?: number, seed?: number }} instances */
export function ocrJob({ ocr, pdf, index, documents = 4000, seed = 1 }) {
  const task = (id, lanes, inputs, seconds, more = {}) => ({
    id,
    lanes,
    inputs,
    operators: [{ id, cpu: logNormal(seconds, 0.1), bytes: 20e3, ...more.operator }],
    slots: 2 * lanes + 2,
    ...more.stage,
  });
  return {
    name: `ocr-${ocr}-${pdf}-${index}`,
    seed,
    elements: documents,
    sampleSeconds: 5,
    root: 'pdf-writer',
    stages: [
      task('reader', 1, [], 0.02, {
        operator: { kind: 'files', sequential: true, bytes: BITMAP_BYTES },
        stage: { link: { bytes: BITMAP_BYTES, bytesPerSecond: LINK_BYTES_PER_SECOND } },
      }),
      task('ocr', ocr, ['reader'], OCR_SECONDS),
      task('pdf', pdf, ['ocr'], PDF_SECONDS),
      task('index', index, ['ocr'], 0.02),
      task('pdf-writer', 1, ['pdf'], 0.01),
      task('index-writer', 1, ['index'], 0.005),
    ],
  };
}
