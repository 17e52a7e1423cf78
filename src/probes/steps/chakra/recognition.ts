import { isJson } from '../json-head.ts';
import { firstMessageEnd } from './wire.ts';

/** Tags of the fields of metadata: version and attributes. */
const METADATA_TAGS = [0x0a, 0x12];
/** Tags with which a node begins: its id, or its name where the id is 0. */
const NODE_TAGS = [0x08, 0x12];
const LONGEST_LENGTH_BYTES = 5;

/** Messages behind their lengths, of which the first is metadata and the second a node. */
export function looksLikeChakra(head: string): boolean {
  const bytes = Buffer.from(head, 'latin1');
  const end = firstMessageEnd(bytes);
  if (bytes.length < 2 || !METADATA_TAGS.includes(tagBehindLength(bytes, 0))) return false;
  return end === bytes.length || (end < bytes.length && NODE_TAGS.includes(tagBehindLength(bytes, end)));
}

function tagBehindLength(bytes: Uint8Array, from: number): number {
  let at = from;
  while ((bytes[at] ?? 0) > 127 && at - from < LONGEST_LENGTH_BYTES) at++;
  return bytes[at + 1] ?? 0;
}

/** A `workload_graph`, or messages of protobuf as JSON. */
export const looksLikeChakraJson = (head: string): boolean =>
  isJson(head) && /"workload_graph"\s*:|"(?:dataDeps|ctrlDeps|durationMicros)"\s*:/.test(head);
