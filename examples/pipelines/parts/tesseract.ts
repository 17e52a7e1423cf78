import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { perWorker } from 'venturi/engine';
import type { Page, ReadPage } from './page.ts';

/** What is used of tesseract.js, which is not among the packages that Venturi installs. */
interface Tesseract {
  createWorker(language: string): Promise<{
    recognize(image: Buffer): Promise<{ readonly data: { readonly text: string } }>;
    terminate(): Promise<unknown>;
  }>;
}

/** Where tesseract.js is; says how to get it where it is not. */
function address(): string {
  try {
    return pathToFileURL(createRequire(import.meta.url).resolve('tesseract.js')).href;
  } catch {
    throw new Error(
      'the package tesseract.js is not installed: npm install tesseract.js, or leave out --param engine=tesseract',
    );
  }
}

/** Reads any page, with a Tesseract of its own in every thread of the operator. It fetches its model when first used. */
export function tesseract() {
  const module = address();
  return perWorker(async () => {
    const { default: library } = (await import(module)) as { default: Tesseract };
    const worker = await library.createWorker('eng');
    return {
      call: async (page: Page): Promise<ReadPage> => {
        const { data } = await worker.recognize(Buffer.from(page.file));
        return { ...page, text: data.text };
      },
      close: async () => {
        await worker.terminate();
      },
    };
  });
}
