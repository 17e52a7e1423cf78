import { importChakra, importChakraJson, rankInName } from './chakra/import.ts';
import { looksLikeChakra, looksLikeChakraJson } from './chakra/recognition.ts';
import { refuseExecutionTraceAlone } from './execution-trace/import.ts';
import { looksLikeExecutionTrace } from './execution-trace/recognition.ts';
import { gathered } from './gathered.ts';
import type { StepImporter } from './importer.ts';
import { importStepsJson, looksLikeStepsJson } from './json/import.ts';
import { importKineto, looksLikeKineto } from './kineto/import.ts';
import { importRunMetadata, importRunMetadataText, importTimeline } from './tensorflow/import.ts';
import {
  looksLikeRunMetadata,
  looksLikeRunMetadataText,
  looksLikeStepStats,
  looksLikeTimeline,
} from './tensorflow/recognition.ts';

/** The formats there are; the first that recognises a file by its content reads it. A new one needs a line here. */
export const IMPORTERS: readonly StepImporter[] = [
  {
    format: 'a trace as docs/steps.md describes it',
    recognises: looksLikeStepsJson,
    read: async (bytes, { path }) => importStepsJson(await gathered(path, bytes)),
  },
  {
    format: "TensorFlow's RunMetadata or StepStats",
    recognises: head => looksLikeRunMetadata(head) || looksLikeStepStats(head),
    read: async (bytes, { path }) => importRunMetadata([await gathered(path, bytes)]),
    readTogether: importRunMetadata,
  },
  {
    format: 'the same as text (.pbtxt)',
    recognises: looksLikeRunMetadataText,
    read: async (bytes, { path }) => importRunMetadataText([await gathered(path, bytes)]),
    readTogether: importRunMetadataText,
  },
  {
    format: 'a Chakra execution trace (.et)',
    recognises: looksLikeChakra,
    read: async (bytes, { path }) => importChakra(await gathered(path, bytes), rankInName(path)),
  },
  {
    format: 'the same as JSON',
    recognises: looksLikeChakraJson,
    read: async (bytes, { path }) => importChakraJson(await gathered(path, bytes), rankInName(path)),
  },
  { format: 'a trace of the PyTorch profiler', recognises: looksLikeKineto, read: importKineto },
  {
    format: 'an execution trace of PyTorch beside it',
    recognises: looksLikeExecutionTrace,
    read: async (_, { path }) => refuseExecutionTraceAlone(path),
  },
  {
    format: 'a timeline of TensorFlow',
    recognises: looksLikeTimeline,
    read: async (bytes, { path }) => importTimeline([await gathered(path, bytes)]),
    readTogether: importTimeline,
  },
];

/** How much of a file is looked at to tell its format, in bytes. */
export const HEAD_BYTES = 256 * 1024;

/** Bytes as text for `recognises`: one character for each, its number that of the byte. */
export const headText = (bytes: Uint8Array): string => Buffer.from(bytes.subarray(0, HEAD_BYTES)).toString('latin1');
