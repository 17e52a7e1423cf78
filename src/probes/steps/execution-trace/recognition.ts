import { isJson } from '../json-head.ts';

/** An execution trace of PyTorch: a schema and nodes, the first of which stands for a thread or the process. */
export const looksLikeExecutionTrace = (head: string): boolean =>
  isJson(head) && /"nodes"\s*:\s*\[/.test(head) && /"(?:rf_id|ctrl_deps|fw_parent)"/.test(head);

/** The number of the process stands before the nodes. */
export const processInHead = (head: string): string | undefined => /^[^[]*"pid"\s*:\s*(\d+)/.exec(head)?.[1];
