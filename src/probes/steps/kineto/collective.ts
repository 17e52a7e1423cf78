import { z } from 'zod';
import { parseJson } from '../../../model/parse-json.ts';
import type { Collective } from '../../../model/step-trace.ts';
import { decodeText } from '../chrome/event-parser.ts';
import type { KinetoParser } from './arguments.ts';

/** Bytes of an element, by names of types as torch and NCCL write them. */
const TYPE_BYTES: Readonly<Record<string, number>> = {
  byte: 1,
  char: 1,
  bool: 1,
  float8_e4m3fn: 1,
  float8_e5m2: 1,
  half: 2,
  short: 2,
  bfloat16: 2,
  'c10::half': 2,
  'c10::bfloat16': 2,
  int: 4,
  float: 4,
  long: 8,
  'long int': 8,
  double: 8,
};

const COLON = ':'.charCodeAt(0);
const LONGEST_LIST = 4096;
const DimensionsSchema = z.array(z.array(z.number())).max(LONGEST_LIST);
const TypesSchema = z.array(z.string()).max(LONGEST_LIST);
const RanksSchema = z.array(z.number().int().min(0)).max(2 ** 16);

/**
 * The collective that an event says it is: by arguments of their own, which newer traces have, or by the name of the annotation around it
 * (`nccl:all_reduce`) and the shapes of its inputs.
 */
export function collectiveOf(parser: KinetoParser, nameStart: number, nameEnd: number): Collective | undefined {
  const name = parser.text('Collective name');
  if (name !== undefined) return described(parser, name);
  // Most events are neither: no string is made of their names.
  const { bytes } = parser;
  const colon = bytes.subarray(nameStart, Math.min(nameEnd, nameStart + 6)).indexOf(COLON);
  if (colon < 3) return undefined;
  const [, library, operation] = /^(nccl|gloo|mpi|ucc):(.+)$/.exec(decodeText(bytes, nameStart, nameEnd)) ?? [];
  if (library === undefined || operation === undefined) return undefined;
  return { name: operation, bytes: bytesOfInputs(parser) };
}

function described(parser: KinetoParser, name: string): Collective {
  const type = parser.text('dtype');
  const elements = [parser.number('In msg nelems'), parser.number('Out msg nelems')].filter(count => count >= 0);
  const elementBytes = type === undefined ? undefined : TYPE_BYTES[type.toLowerCase()];
  const size = parser.number('Group size');
  return {
    name,
    bytes: elementBytes === undefined || elements.length === 0 ? undefined : Math.max(...elements) * elementBytes,
    type,
    groupSize: size >= 1 ? size : undefined,
    group: parser.text('Process Group Name'),
    ranks: parseJson(RanksSchema, parser.text('Process Group Ranks') ?? ''),
  };
}

function bytesOfInputs(parser: KinetoParser): number | undefined {
  const shapes = parseJson(DimensionsSchema, parser.text('Input Dims') ?? '');
  const types = parseJson(TypesSchema, parser.text('Input type') ?? '');
  if (shapes === undefined || types === undefined || shapes.length === 0) return undefined;
  let total = 0;
  for (const [at, shape] of shapes.entries()) {
    const elementBytes = TYPE_BYTES[types[at]?.toLowerCase() ?? ''];
    if (elementBytes === undefined) return undefined;
    total += elementBytes * shape.reduce((product, length) => product * length, 1);
  }
  return total;
}
