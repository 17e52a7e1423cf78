import type { StepImporter } from './importer.ts';
import { importKineto, looksLikeKineto } from './kineto/import.ts';

/** The formats there are; the first that recognises a file reads it. A new one needs a line here. */
export const IMPORTERS: readonly StepImporter[] = [
  { format: 'a trace of the PyTorch profiler', recognises: looksLikeKineto, read: importKineto },
];

/** How much of a file is looked at to tell its format, in bytes. */
export const HEAD_BYTES = 256 * 1024;

/** Bytes as text for `recognises`: one character for each. */
export const headText = (bytes: Uint8Array): string => new TextDecoder('latin1').decode(bytes.subarray(0, HEAD_BYTES));
