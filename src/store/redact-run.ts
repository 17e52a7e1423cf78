import { closeSync, existsSync, mkdirSync, openSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { KIND_OFFSET, RECORD_BYTES, RECORD_KIND, RECORD_WORDS } from '../model/record.ts';
import { findLanes, SAMPLES_FOLDER, type SegmentFile } from './lane-files.ts';
import { HEADER_BYTES, writeHeader } from './lane-header.ts';
import { newPiece, readPieces } from './lane-reader.ts';
import { orUnwritable } from './manifest.ts';
import { type Redactor, redactManifest, redactorOf } from './redact.ts';
import { openRun } from './run-reader.ts';
import { createRun } from './run-writer.ts';
import { TextAssembler, textParts, writeTextPart } from './text-entry.ts';

/**
 * Copies a run without paths and arguments, so that it can be shown to others. Gives the folder of the copy.
 * Only what this version knows is copied: an unknown kind of record could hold anything.
 */
export function redactRun(from: string, to: string): string {
  const run = openRun(from);
  const redactor = redactorOf(run.manifest);
  const { outcome, ...manifest } = redactManifest(run.manifest, redactor);
  const copy = createRun(to, manifest);
  for (const part of ['lanes', SAMPLES_FOLDER]) {
    if (!existsSync(join(run.folder, part))) continue;
    const folder = join(copy.folder, part);
    orUnwritable(folder, () => mkdirSync(folder, { recursive: true }));
    for (const lane of findLanes(join(run.folder, part), [])) {
      for (const segment of lane.segments) copySegment(segment, folder, redactor);
    }
  }
  if (outcome !== undefined) copy.finish(outcome);
  return copy.folder;
}

function copySegment(segment: SegmentFile, folder: string, redactor: Redactor): void {
  const path = join(folder, basename(segment.path));
  const piece = newPiece();
  const header = new Uint8Array(HEADER_BYTES);
  writeHeader(header, segment.header);
  const dictionary = new DictionaryRedactor(redactor);
  orUnwritable(path, () => {
    const fd = openSync(path, 'wx');
    try {
      writeFileSync(fd, header);
      for (const records of readPieces(segment.path, piece)) {
        if (copyRecords(fd, piece.bytes, records, dictionary)) break;
      }
    } finally {
      closeSync(fd);
    }
  });
}

/** Copies known records as they are and dictionary entries redacted; says whether the lane ended. */
function copyRecords(fd: number, bytes: Uint8Array, records: number, dictionary: DictionaryRedactor): boolean {
  const end = records * RECORD_BYTES;
  let copied = 0;
  for (let at = 0; at < end; at += RECORD_BYTES) {
    const kind = bytes[at + KIND_OFFSET] as number;
    if (kind > RECORD_KIND.text && kind <= RECORD_KIND.sample) continue;
    writeFileSync(fd, bytes.subarray(copied, at));
    copied = at + RECORD_BYTES;
    if (kind === RECORD_KIND.none) return true;
    if (kind === RECORD_KIND.text) writeFileSync(fd, dictionary.records(bytes, at));
  }
  writeFileSync(fd, bytes.subarray(copied, end));
  return false;
}

class DictionaryRedactor {
  readonly #assembler = new TextAssembler();
  readonly #redactor: Redactor;

  constructor(redactor: Redactor) {
    this.#redactor = redactor;
  }

  /** Takes the text record at byte `at`; gives the whole entry, redacted, once its last part was taken. */
  records(bytes: Uint8Array, at: number): Uint8Array {
    const entry = this.#assembler.accept(bytes, at);
    if (entry === undefined) return new Uint8Array(0);
    const text = entry.number === 0 ? this.#redactor.name(entry.text) : this.#redactor.key(entry.text);
    const parts = textParts(text);
    const words = new Uint32Array(parts.length * RECORD_WORDS);
    const records = new Uint8Array(words.buffer);
    for (let index = 0; index < parts.length; index++) {
      writeTextPart(words, records, index * RECORD_WORDS, entry.number, parts, index);
    }
    return records;
  }
}
