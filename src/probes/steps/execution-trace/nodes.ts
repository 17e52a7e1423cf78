import { z } from 'zod';
import { CHAR, endOfString, endOfValue, INCOMPLETE, MalformedJson, skipSpace } from '../chrome/json-bytes.ts';

/** An operator of an execution trace of PyTorch, with the memory that it read and wrote. */
export interface ExecutionNode {
  readonly id: number;
  readonly name: string;
  /** Node that called it. */
  readonly parent: number;
  /** What the profiler calls `Record function id`. */
  readonly record: number;
  /** Storages of its tensors. */
  readonly reads: readonly number[];
  readonly writes: readonly number[];
}

/** The operators of a file. Programs often end before the observer has closed it: then it breaks off behind a node. */
export interface ExecutionNodes {
  readonly nodes: readonly ExecutionNode[];
  readonly isCut: boolean;
}

const whole = z.number().int();
const Values = z.union([z.array(z.unknown()), z.object({ values: z.array(z.unknown()) })]);

/** Up to schema 1.0.1 attributes are members of the node; later they are in a list, and the parent is its control dependency. */
const NodeSchema = z.object({
  id: whole,
  name: z.string(),
  parent: whole.optional(),
  ctrl_deps: whole.optional(),
  rf_id: whole.optional(),
  op_schema: z.string().optional(),
  inputs: Values.default([]),
  outputs: Values.default([]),
  attrs: z.array(z.object({ name: z.string(), value: z.unknown() })).default([]),
});

const decoder = new TextDecoder();

/** The operators in the bytes of a file. What is none throws a RangeError, or MalformedJson with the position. */
export function executionNodes(bytes: Uint8Array): ExecutionNodes {
  const nodes: ExecutionNode[] = [];
  let at = skipSpace(bytes, listOf(bytes) + 1);
  while (at !== INCOMPLETE && bytes[at] !== CHAR.closeBracket) {
    const end = endOfValue(bytes, at);
    if (end === INCOMPLETE) break;
    nodes.push(nodeOf(decoder.decode(bytes.subarray(at, end)), nodes.length));
    at = skipSpace(bytes, end);
    if (at !== INCOMPLETE && bytes[at] === CHAR.comma) at = skipSpace(bytes, at + 1);
  }
  return { nodes, isCut: at === INCOMPLETE || bytes[at] !== CHAR.closeBracket };
}

/** Position of the bracket that opens the list of nodes. */
function listOf(bytes: Uint8Array): number {
  let at = skipSpace(bytes, 0);
  if (bytes[at] !== CHAR.openBrace) throw new MalformedJson(Math.max(0, at), 'it is no JSON object');
  for (at = skipSpace(bytes, at + 1); bytes[at] === CHAR.quote; at = skipSpace(bytes, at + 1)) {
    const keyEnd = endOfString(bytes, at);
    const colon = keyEnd === INCOMPLETE ? INCOMPLETE : skipSpace(bytes, keyEnd + 1);
    const value = bytes[colon] === CHAR.colon ? skipSpace(bytes, colon + 1) : INCOMPLETE;
    if (value === INCOMPLETE) break;
    if (bytes[value] === CHAR.openBracket && decoder.decode(bytes.subarray(at + 1, keyEnd)) === 'nodes') return value;
    const end = endOfValue(bytes, value);
    at = end === INCOMPLETE ? INCOMPLETE : skipSpace(bytes, end);
    if (at === INCOMPLETE || bytes[at] !== CHAR.comma) break;
  }
  throw new RangeError('it has no list of nodes');
}

function nodeOf(text: string, position: number): ExecutionNode {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch (error) {
    throw new RangeError(`nodes.${position}: ${error instanceof Error ? error.message : error}`);
  }
  const { data, error } = NodeSchema.safeParse(parsed);
  if (data === undefined) {
    const [issue] = error.issues;
    throw new RangeError(`${['nodes', position, ...(issue?.path ?? [])].join('.')}: ${issue?.message}`);
  }
  const { id, name, inputs, outputs, attrs, parent = data.ctrl_deps ?? 0 } = data;
  const attribute = (of: string): unknown => attrs.find(each => each.name === of)?.value;
  const schema = data.op_schema ?? attribute('op_schema');
  const record = data.rf_id ?? attribute('rf_id');
  const read = valuesOf(inputs);
  return {
    id,
    name,
    parent,
    record: typeof record === 'number' ? record : 0,
    reads: storages(read),
    writes: [...storages(valuesOf(outputs)), ...storages(changed(read, typeof schema === 'string' ? schema : ''))],
  };
}

const valuesOf = (values: z.infer<typeof Values>): readonly unknown[] =>
  Array.isArray(values) ? values : values.values;

/** Inputs that the schema marks as changed in place: `Tensor(a!)[] self`. */
function changed(values: readonly unknown[], schema: string): unknown[] {
  if (!schema.includes('!')) return [];
  const inputs = schema.slice(schema.indexOf('(') + 1, schema.lastIndexOf('->'));
  const declared = inputs.split(', ').filter(each => each !== '*');
  return values.filter((_, at) => declared[at]?.includes('!)') === true);
}

/** Storages of the tensors among values, also in lists. A tensor is [tensor, storage, offset, elements, bytes of one, device]. */
function storages(values: readonly unknown[]): number[] {
  const found: number[] = [];
  const left: unknown[] = [...values];
  for (let value = left.pop(); value !== undefined; value = left.pop()) {
    if (!Array.isArray(value)) continue;
    const [, storage] = value;
    const isTensor = value.length === 6 && typeof storage === 'number' && typeof value[5] === 'string';
    if (isTensor) found.push(storage);
    else for (const each of value) if (Array.isArray(each)) left.push(each);
  }
  return found;
}
