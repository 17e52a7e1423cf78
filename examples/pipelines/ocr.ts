/**
 * Scanned pages made searchable, in six tasks: a reader, OCR, and from there two ways, to PDF files and to an index, each with a
 * writer. It is the job by which "Detecting Bottlenecks in Parallel DAG-based Data Flow Programs" shows how the
 * narrow place moves as the one before it is widened: OCR, then PDF, then the way from the reader.
 *
 *     venturi run examples/pipelines/ocr.ts --record ocr && venturi diagnose ocr --root pdf-writer
 *
 * OCR is a stand-in here that takes the CPU of a real engine and knows one typeface. `--param engine=tesseract` reads with
 * tesseract.js, which you install yourself.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { files, merge, pipeline } from 'venturi/engine';
import { EXAMPLES } from './data/made-once.ts';
import { pages } from './data/pages.ts';
import { indexOf, matchGlyphs, type Page, pageOf } from './parts/page.ts';
import { pdfOf, writePdf } from './parts/pdf.ts';
import { tesseract } from './parts/tesseract.ts';

const PARAMETERS = { folder: EXAMPLES, pages: 40, engine: 'glyphs', output: '' };

export default pipeline(import.meta, PARAMETERS, ({ folder, pages: count, engine, output }) => {
  const results = output === '' ? join(folder, 'searchable') : output;
  mkdirSync(results, { recursive: true });
  const scans = files(pages(folder, count), { extensions: ['.pgm'] }).map(pageOf, { name: 'reader' });
  const task = { parallelism: 1 };
  const read =
    engine === 'tesseract'
      ? scans.map(tesseract(), { name: 'ocr', concurrency: 1, ...task })
      : scans.map((page: Page) => ({ ...page, text: matchGlyphs(page) }), { name: 'ocr', ...task });
  const pdfs = read.map(pdfOf, { name: 'pdf', ...task }).forEach(writePdf(results), { name: 'pdf-writer', ...task });
  const index = read
    .map(indexOf, { name: 'index', ...task })
    .writeJsonl(join(results, 'index.jsonl'), { name: 'index-writer' });
  return merge([pdfs, index]);
});
