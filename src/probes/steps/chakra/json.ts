import { z } from 'zod';
import { type Attributes, CHAKRA_TYPES, type ChakraNode, type ChakraType, nodeWith } from './node.ts';

/** 64-bit numbers are texts in protobuf's JSON. */
const whole = z.union([
  z.number().int().min(0),
  z
    .string()
    .regex(/^\d{1,19}$/)
    .transform(Number),
]);
const micros = z.number().min(0).max(Number.MAX_SAFE_INTEGER);
const scalar = z.union([z.string(), z.number(), z.boolean()]);

/** A message as protobuf's JSON has it, which Chakra's jsonizer writes one after the other. */
const MessageSchema = z.object({
  id: whole.default(0),
  name: z.string().default(''),
  type: z.union([z.string(), z.number()]).default(0),
  dataDeps: z.array(whole).default([]),
  startTimeMicros: whole.optional(),
  durationMicros: whole.default(0),
  attr: z.array(z.looseObject({ name: z.string() })).default([]),
});

/** A node as Chakra's feeder reads it, from a list `workload_graph`. */
const GraphNodeSchema = z.looseObject({
  Id: whole,
  Name: z.string().default(''),
  NodeType: z.number().int().default(0),
  data_deps: z.array(whole).default([]),
  runtime: micros.default(0),
  start_time: micros.optional(),
});

/** Nodes of a `workload_graph`. What is none throws a RangeError that says where. */
export const chakraGraphNodes = (list: readonly unknown[]): ChakraNode[] =>
  list.map((each, at) => {
    const { data, error } = GraphNodeSchema.safeParse(each);
    if (data === undefined) throw new RangeError(fault(`workload_graph.${at}`, error));
    const { Id: id, Name: name, NodeType, data_deps: waitsFor, start_time: start, runtime: duration } = data;
    const type = CHAKRA_TYPES[NodeType] ?? 'INVALID';
    return nodeWith({ id, name, type, waitsFor, start, duration }, new Map(Object.entries(data).filter(isScalar)));
  });

/** Nodes of messages, of which the first may be the metadata. */
export function chakraMessageNodes(messages: readonly unknown[]): ChakraNode[] {
  const nodes: ChakraNode[] = [];
  for (const [at, message] of messages.entries()) {
    if (at === 0 && isMetadata(message)) continue;
    const { data, error } = MessageSchema.safeParse(message);
    if (data === undefined) throw new RangeError(fault(`message ${at}`, error));
    const { id, name, dataDeps: waitsFor, startTimeMicros: start, durationMicros: duration } = data;
    nodes.push(nodeWith({ id, name, type: typeOf(data.type), waitsFor, start, duration }, attributesOf(data.attr)));
  }
  return nodes;
}

const isMetadata = (message: unknown): boolean =>
  typeof message === 'object' && message !== null && !('id' in message) && !('type' in message);

function typeOf(type: string | number): ChakraType {
  if (typeof type === 'number') return CHAKRA_TYPES[type] ?? 'INVALID';
  return CHAKRA_TYPES.find(each => type === `${each}_NODE`) ?? 'INVALID';
}

/** `{ "name": "comm_size", "int64Val": "4096" }`. */
function attributesOf(list: readonly Readonly<Record<string, unknown>>[]): Attributes {
  const attributes = new Map<string, string | number | boolean>();
  for (const { name, docString: _, ...values } of list) {
    const [value] = Object.values(values).filter(each => scalar.safeParse(each).success);
    if (typeof name === 'string' && value !== undefined) attributes.set(name, value as string | number | boolean);
  }
  return attributes;
}

const isScalar = (entry: [string, unknown]): entry is [string, string | number | boolean] =>
  scalar.safeParse(entry[1]).success;

const fault = (where: string, { issues: [issue] }: z.ZodError): string =>
  `${[where, ...(issue?.path ?? [])].join('.')}: ${issue?.message}`;
