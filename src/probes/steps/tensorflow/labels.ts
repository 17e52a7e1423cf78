/** Op and inputs of a node's label, `name = Op(in0, in1)`; what its allocators used may stand before: `[cpu 1.2MB 1.2MB] name = Op(…)`. */
export function opLabel(label: string): { op: string; inputs: string[] } | undefined {
  const equals = label.indexOf(' = ');
  const open = label.indexOf('(', equals + 3);
  if (equals === -1 || open === -1 || !label.endsWith(')')) return undefined;
  const inputs = label.slice(open + 1, -1);
  return { op: label.slice(equals + 3, open), inputs: inputs === '' ? [] : inputs.split(', ') };
}

/** `[12.3MB] [1.2Gb/s] edge_4_w/read from /job:ps/… to /job:worker/…`: a tensor that was received, its size rounded. */
export function receiveLabel(
  label: string,
): { tensor: string; from: string; to: string; bytes: number | undefined } | undefined {
  const to = label.lastIndexOf(' to ');
  const from = label.lastIndexOf(' from ', to - 1);
  if (to === -1 || from === -1) return undefined;
  const [size] = /^\[[^\]]*\] /.exec(label) ?? [''];
  const [rate] = /^\[[^\]]*\] /.exec(label.slice(size.length)) ?? [''];
  return {
    tensor: label.slice(size.length + rate.length, from),
    from: label.slice(from + 6, to),
    to: label.slice(to + 4),
    bytes: labelBytes(size),
  };
}

const UNITS: Readonly<Record<string, number>> = { B: 1, KB: 2 ** 10, MB: 2 ** 20, GB: 2 ** 30 };

function labelBytes(text: string): number | undefined {
  const [, amount, unit = ''] = /^\[(\d{1,15}(?:\.\d{1,15})?)([KMG]?B)\] $/.exec(text) ?? [];
  return amount === undefined ? undefined : Math.round(Number(amount) * (UNITS[unit] ?? 1));
}

/**
 * Node and op of what a device's stream ran, which its name has as `node:op`, or its label behind `@@` and before `#`
 * (tensorflow/python/client/timeline.py).
 */
export function kernelLabel(nodeName: string, label: string): { name: string; op: string } {
  const annotation = label.indexOf('@@');
  const end = label.indexOf('#');
  const text = annotation >= 0 && end > annotation + 2 ? label.slice(annotation + 2, end) : nodeName;
  const [name = '', op = 'unknown'] = text.split(':', 2);
  return { name, op };
}

/** `MEMCPYDtoH 400 bytes (Device to Pinned)`. */
export function copiedBytes(label: string): number | undefined {
  const [, amount] = /\b(\d{1,15}) bytes\b/.exec(label) ?? [];
  return amount === undefined ? undefined : Number(amount);
}

/** The node that made a tensor of a rendezvous, `edge_12_MatMul/ReadVariableOp`. */
export const tensorProducer = (tensor: string): string =>
  /^edge_\d+_/.test(tensor) ? tensor.slice(tensor.indexOf('_', 5) + 1) : nodeOf(tensor);

/** The node of an input: without `^` and without the slot. */
export function nodeOf(input: string): string {
  const start = input.startsWith('^') ? 1 : 0;
  const colon = input.lastIndexOf(':');
  return colon > start && /^\d+$/.test(input.slice(colon + 1)) ? input.slice(start, colon) : input.slice(start);
}

/**
 * The node whose output a receiving node stands for: where the graph is cut into devices, TensorFlow names that node after the one that made
 * the tensor, with `/_11` or `_S11` behind. The same name where it is none of these.
 */
export function sender(node: string): string {
  const [suffix] = /(?:\/_|_S)\d{1,10}$/.exec(node.slice(-13)) ?? [''];
  return suffix === '' ? node : node.slice(0, -suffix.length);
}
