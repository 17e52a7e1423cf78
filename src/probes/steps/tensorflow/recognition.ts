import { isJson } from '../json-head.ts';

/** Fields of RunMetadata, or of StepStats alone, with which a text begins. */
const TEXT = /^\s*(?:#[^\n]*\n\s*)*(?:step_stats|cost_graph|partition_graphs|function_graphs|dev_stats)\s*:?\s*[{<]/;
const FIRST_FIELD = '\x0a';
const MOST_LENGTH_BYTES = 5;

/** RunMetadata is step_stats { dev_stats { device: "/job:…, each its message's first field: three lengths before the device. */
export const looksLikeRunMetadata = (head: string): boolean => deviceDepth(head) === 3;

/** What is inside RunMetadata's step_stats, saved by itself. */
export const looksLikeStepStats = (head: string): boolean => deviceDepth(head) === 2;

export const looksLikeRunMetadataText = (head: string): boolean => TEXT.test(head);

/** Chrome traces of TensorFlow name devices as processes, and have executions of nodes as events of the category `Op`. */
export const looksLikeTimeline = (head: string): boolean =>
  isJson(head) && (/"cat"\s*:\s*"Op"/.test(head) || /"\/[^"]* (?:Compute|Tensors)"/.test(head));

/** How many messages lie around the name of the first device; undefined where something else comes first. */
function deviceDepth(head: string): number | undefined {
  let at = 0;
  for (let depth = 1; depth <= 3; depth++) {
    if (head[at] !== FIRST_FIELD) return undefined;
    at++;
    for (let byte = 0; byte < MOST_LENGTH_BYTES && head.charCodeAt(at) > 127; byte++) at++;
    at++;
    if (head[at] === '/') return depth;
  }
  return undefined;
}
