import { z } from 'zod';
import { parseJson } from '../../../model/parse-json.ts';
import type { Collective } from '../../../model/step-trace.ts';
import { decodeText } from '../chrome/event-parser.ts';
import type { KinetoParser } from './arguments.ts';

/** Bytes of an element, by names of types as torch, compilers of C++ and NCCL write them, without the namespace `c10`. */
const TYPE_BYTES: Readonly<Record<string, number>> = {
  byte: 1,
  char: 1,
  'signed char': 1,
  'unsigned char': 1,
  bool: 1,
  half: 2,
  bfloat16: 2,
  short: 2,
  'short int': 2,
  'short unsigned int': 2,
  'unsigned short': 2,
  uint16: 2,
  int: 4,
  'unsigned int': 4,
  uint32: 4,
  float: 4,
  'complex<half>': 4,
  complexhalf: 4,
  long: 8,
  'long int': 8,
  'long long': 8,
  'long unsigned int': 8,
  'unsigned long': 8,
  uint64: 8,
  double: 8,
  'complex<float>': 8,
  complexfloat: 8,
  'complex<double>': 16,
  complexdouble: 16,
};

/** Undefined for a type that is not known. */
function bytesOfType(type: string): number | undefined {
  const name = type.toLowerCase().replaceAll('c10::', '');
  return name.startsWith('float8_') ? 1 : TYPE_BYTES[name];
}

const COLON = ':'.charCodeAt(0);
const LONGEST_LIST = 4096;
const DimensionsSchema = z.array(z.array(z.number().int().min(0))).max(LONGEST_LIST);
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
  const elementBytes = type === undefined ? undefined : bytesOfType(type);
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
    const elementBytes = bytesOfType(types[at] ?? '');
    if (elementBytes === undefined) return undefined;
    total += elementBytes * shape.reduce((product, length) => product * length, 1);
  }
  return total;
}
